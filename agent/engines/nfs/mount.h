// From a target's URL to a file handle: names, ports, MOUNT, FSINFO. Blocks, bounded in time; writes nothing.
#ifndef CREST_AGENT_ENGINES_NFS_MOUNT_H_
#define CREST_AGENT_ENGINES_NFS_MOUNT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agent/engines/nfs/nfs_target.h"

namespace crest::nfs {

/// What a mount found out.
struct Mounted {
  std::string address;  // numeric
  uint16_t nfs_port = 0;
  std::string root;        // the export's root handle
  uint32_t read_max = 0;   // FSINFO's rtmax, bytes
  uint32_t write_max = 0;  // FSINFO's wtmax, bytes
};

/// The error says what, where, and what to do: NotFound (name or export), PermissionDenied, Unavailable,
/// DeadlineExceeded.
absl::StatusOr<Mounted> Mount(const NfsTarget& target);

/// What FSSTAT says of the export's file system.
struct FileSystemSpace {
  double free_bytes = 0;  // for this user
  uint64_t fsid = 0;      // equal for exports of one file system
};

/// Asks FSSTAT, and ACCESS whether the export's root may be written to: FailedPrecondition when the export is
/// read-only, PermissionDenied when this user may not write.
absl::StatusOr<FileSystemSpace> CheckWritable(const NfsTarget& target, const Mounted& mounted);

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_MOUNT_H_
