// What this host is.
#ifndef CREST_AGENT_HOST_HOST_INFO_H_
#define CREST_AGENT_HOST_HOST_INFO_H_

#include <string>

#include "crest/v1/host.pb.h"

namespace crest {

/// Facts about the host whose files lie under `root`: "/" is the running one, anything else a kept sample (host name
/// and addresses are then left out, since only system calls tell them). What cannot be read is left unset; nothing
/// fails. Some milliseconds; reads /proc and /sys only, so that it cannot hang on a mount. Thread-safe.
v1::HostInfo ReadHostInfo(const std::string& root);

}  // namespace crest

#endif  // CREST_AGENT_HOST_HOST_INFO_H_
