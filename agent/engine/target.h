// A target's URL, taken apart.
#ifndef CREST_AGENT_ENGINE_TARGET_H_
#define CREST_AGENT_ENGINE_TARGET_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

/// scheme://host:port/path?key=value&… with %XX decoded in path and values. Paths may hold spaces, colons and non-ASCII
/// characters as they are. "null:" has a scheme alone.
struct Target {
  std::string url;     // as it was written
  std::string scheme;  // lower case
  std::string host;    // without brackets
  uint16_t port = 0;   // 0: not given
  std::string path;    // with its leading '/', without a trailing one ("/" itself stays); empty when there is none
  std::map<std::string, std::string> parameters;
};

/// InvalidArgument names the part that is wrong.
absl::StatusOr<Target> ParseTarget(absl::string_view url);

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_TARGET_H_
