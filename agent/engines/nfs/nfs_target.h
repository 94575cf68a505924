// nfs://HOST/EXPORT[?nfsport=&mountport=&uid=&gid=&connections=&timeout=]
#ifndef CREST_AGENT_ENGINES_NFS_NFS_TARGET_H_
#define CREST_AGENT_ENGINES_NFS_NFS_TARGET_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/engine/target.h"

namespace crest::nfs {

/// An nfs: target, read and checked.
struct NfsTarget {
  std::string url;
  std::string host;
  std::string export_path;                     // as the server's MOUNT service knows it
  uint16_t nfs_port = 0;                       // 0: ask rpcbind
  uint16_t mount_port = 0;                     // 0: ask rpcbind
  uint32_t uid = 0;                            // of AUTH_SYS; default: the agent's own
  uint32_t gid = 0;                            // of AUTH_SYS; default: the agent's own
  uint32_t connections = 1;                    // TCP connections of each generator
  absl::Duration timeout = absl::Seconds(60);  // of one operation, from its first call
};

/// InvalidArgument names the parameter that is wrong, and the one that was probably meant.
absl::StatusOr<NfsTarget> ReadTarget(const Target& target);

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_NFS_TARGET_H_
