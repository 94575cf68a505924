#include "agent/service/allow_list.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/engine/registry.h"
#include "base/status.h"

namespace crest {
namespace {

// Parameters that choose the server a target is on.
constexpr absl::string_view kPlaceParameters[] = {"nfsport", "mountport", "socket"};

std::vector<std::string> Components(absl::string_view path) {
  std::vector<std::string> components = absl::StrSplit(path, '/', absl::SkipEmpty());
  components.erase(std::remove(components.begin(), components.end(), "."), components.end());
  return components;
}

// The path with symbolic links resolved as far as it exists; as it is when it cannot be resolved.
std::string Resolved(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

bool IsBelow(const Target& target, const Target& prefix) {
  const bool local = target.host.empty();
  const std::vector<std::string> inner = Components(local ? Resolved(target.path) : target.path);
  const std::vector<std::string> outer = Components(local ? Resolved(prefix.path) : prefix.path);
  if (std::find(inner.begin(), inner.end(), "..") != inner.end()) return false;
  return inner.size() >= outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

std::string ParameterOf(const Target& target, absl::string_view name) {
  const auto found = target.parameters.find(std::string(name));
  return found == target.parameters.end() ? "" : found->second;
}

bool SamePlace(const Target& target, const Target& prefix) {
  if (!prefix.scheme.empty() && prefix.scheme != target.scheme) return false;
  if (!absl::EqualsIgnoreCase(prefix.host, target.host) || prefix.port != target.port) return false;
  const auto same = [&](const auto& parameter) { return ParameterOf(target, parameter.first) == parameter.second; };
  if (!std::all_of(prefix.parameters.begin(), prefix.parameters.end(), same)) return false;
  return std::all_of(std::begin(kPlaceParameters), std::end(kPlaceParameters),
                     [&](absl::string_view name) { return ParameterOf(target, name) == ParameterOf(prefix, name); });
}

}  // namespace

absl::StatusOr<AllowList> AllowList::Parse(const std::vector<std::string>& prefixes) {
  AllowList list;
  for (const std::string& text : prefixes) {
    Target prefix;
    if (!text.empty() && text[0] == '/') {
      prefix.path = text;
    } else {
      absl::StatusOr<Target> parsed = ParseTarget(text);
      if (!parsed.ok()) return Annotate(parsed.status(), absl::StrCat("--allow ", text));
      prefix = *std::move(parsed);
    }
    const std::vector<std::string> components = Components(prefix.path);
    if (std::find(components.begin(), components.end(), "..") != components.end()) {
      return absl::InvalidArgumentError(absl::StrCat("--allow ", text, ": must not hold \"..\""));
    }
    list.texts_.push_back(text);
    list.prefixes_.push_back(std::move(prefix));
  }
  return list;
}

absl::Status AllowList::Check(absl::string_view target_url) const {
  CREST_ASSIGN_OR_RETURN(const Target target, ParseTarget(target_url));
  CREST_ASSIGN_OR_RETURN(const EngineType* const engine, FindEngine(target.scheme));
  if (engine->simulated) return absl::OkStatus();
  const auto allows = [&](const Target& prefix) { return SamePlace(target, prefix) && IsBelow(target, prefix); };
  if (std::any_of(prefixes_.begin(), prefixes_.end(), allows)) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "this agent may not use the target ", target_url, ": it was started ",
      texts_.empty() ? "without --allow" : absl::StrCat("with --allow ", absl::StrJoin(texts_, " --allow ")),
      "; start crest-agent with --allow ", target_url, " or a prefix of it"));
}

}  // namespace crest
