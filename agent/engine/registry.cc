#include "agent/engine/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace crest {
namespace {

// A function's own static, since engines register themselves before this file's statics would be made.
std::vector<const EngineType*>& Types() {
  static auto* const types = new std::vector<const EngineType*>;
  return *types;
}

}  // namespace

const std::vector<const EngineType*>& EngineTypes() { return Types(); }

absl::StatusOr<const EngineType*> FindEngine(absl::string_view scheme) {
  for (const EngineType* type : Types()) {
    if (type->scheme == scheme) return type;
  }
  const std::string known = absl::StrJoin(
      Types(), ", ", [](std::string* out, const EngineType* type) { absl::StrAppend(out, type->scheme, ":"); });
  return absl::NotFoundError(absl::StrCat("no engine for targets that begin with \"", scheme, ":\"; there are ",
                                          known.empty() ? "none in this program" : known));
}

bool RegisterEngine(const EngineType* type) {
  std::vector<const EngineType*>& types = Types();
  const auto place = std::lower_bound(types.begin(), types.end(), type,
                                      [](const EngineType* a, const EngineType* b) { return a->scheme < b->scheme; });
  if (place != types.end() && (*place)->scheme == type->scheme) {
    std::fprintf(stderr, "two engines claim the scheme %s\n", std::string(type->scheme).c_str());
    std::abort();
  }
  types.insert(place, type);
  return true;
}

}  // namespace crest
