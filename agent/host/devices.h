// Network interfaces and block devices of a host.
#ifndef CREST_AGENT_HOST_DEVICES_H_
#define CREST_AGENT_HOST_DEVICES_H_

#include <vector>

#include "agent/host/files.h"
#include "crest/v1/host.pb.h"

namespace crest {

/// By name; at most 1,000. Physical: with a device behind it (a virtual machine's virtio NIC counts, a bridge does
/// not). Addresses on the running host alone.
std::vector<v1::NetworkInterface> ReadNics(const HostFiles& files);

/// By name, without those of size 0; at most 1,000.
std::vector<v1::BlockDevice> ReadBlockDevices(const HostFiles& files);

}  // namespace crest

#endif  // CREST_AGENT_HOST_DEVICES_H_
