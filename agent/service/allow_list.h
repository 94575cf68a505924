// What an agent may write to.
#ifndef CREST_AGENT_SERVICE_ALLOW_LIST_H_
#define CREST_AGENT_SERVICE_ALLOW_LIST_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/engine/target.h"

namespace crest {

/// The --allow prefixes. A target is allowed when one of them has its scheme, host and port, a path of which the
/// target's begins with in whole components, and, of the parameters, the same as the target wherever the prefix gives
/// one or they lead to another server ("nfsport", "mountport", "socket"). A prefix that is an absolute path allows
/// local targets (no host) of every scheme below it. Local paths are compared after symbolic links are resolved; a ".."
/// that stays is refused. Engines that only simulate are always allowed; without prefixes, nothing else is.
///
/// Immutable, so thread-safe.
class AllowList {
 public:
  /// InvalidArgument names the prefix that cannot be read.
  static absl::StatusOr<AllowList> Parse(const std::vector<std::string>& prefixes);

  /// PermissionDenied names the target and the flag that would allow it. May block where a path lies on a file system
  /// whose server hangs.
  absl::Status Check(absl::string_view target_url) const;

  const std::vector<std::string>& prefixes() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::vector<Target> prefixes_;  // scheme empty: any local one
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_ALLOW_LIST_H_
