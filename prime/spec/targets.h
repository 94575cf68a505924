// What can be said of a target's URL without asking its engine.
#ifndef CREST_PRIME_SPEC_TARGETS_H_
#define CREST_PRIME_SPEC_TARGETS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

/// The scheme of a URL, lower case. InvalidArgument where there is none; `server:/export`, `//server/share` and paths
/// are answered with the URL that they would be.
absl::StatusOr<std::string> TargetScheme(absl::string_view url);

/// Checks the form of a URL: scheme, host, port, escapes, no control characters; host and export of nfs.
absl::Status CheckTarget(absl::string_view url);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_TARGETS_H_
