// From a user's YAML to a run spec that is whole: profile expanded, defaults filled in, everything checked.
#ifndef CREST_PRIME_SPEC_SPEC_H_
#define CREST_PRIME_SPEC_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "crest/v1/result.pb.h"
#include "crest/v1/spec.pb.h"
#include "prime/spec/yaml_tree.h"

namespace crest {

/// A spec as it was understood. Of use only when ok().
struct ParsedSpec {
  v1::RunSpec spec;                   // whole; ranges of agents written out
  uint32_t streams = 0;               // of the whole run: as written, or what `auto` comes to
  std::vector<double> rates;          // of the load points, in order, as far as they are known in advance
  std::vector<v1::Finding> findings;  // what a reader of the result should know, seen already
  std::vector<SpecError> errors;      // every error, in the order of the text

  bool ok() const { return errors.empty(); }
  /// InvalidArgument with a line for each error.
  absl::Status status() const;
};

/// Reads and checks a spec. `source` is the file's name as the user gave it. Each of `overrides` is "key.path=value" as
/// given to --set: the value is YAML, and it replaces what the file says there. docs/spec.md lists the keys.
ParsedSpec ParseSpec(absl::string_view text, absl::string_view source, const std::vector<std::string>& overrides = {});

/// The same for a file; "-" is standard input.
ParsedSpec ReadSpecFile(const std::string& path, const std::vector<std::string>& overrides = {});

/// A list of agents outside a spec: ranges written out, addresses whole. InvalidArgument names the one that is wrong.
absl::StatusOr<std::vector<v1::AgentSpec>> ParseAgents(const std::vector<std::string>& list);

/// A shipped workload, whole. NotFound suggests the name that was probably meant.
absl::StatusOr<v1::Workload> ProfileWorkload(absl::string_view name);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_SPEC_H_
