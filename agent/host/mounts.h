#ifndef CREST_AGENT_HOST_MOUNTS_H_
#define CREST_AGENT_HOST_MOUNTS_H_

#include <vector>

#include "agent/host/files.h"
#include "crest/v1/host.pb.h"

namespace crest {

/// Network and disk file systems of /proc/self/mountinfo (proc_pid_mountinfo(5)), without pseudo ones; at most 1,000.
/// Paths are as people know them: the kernel's \040 is a space again.
std::vector<v1::Mount> ReadMounts(const HostFiles& files);

}  // namespace crest

#endif  // CREST_AGENT_HOST_MOUNTS_H_
