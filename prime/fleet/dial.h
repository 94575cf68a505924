// Channels to agents, and what their errors mean to whoever reads them.
#ifndef CREST_PRIME_FLEET_DIAL_H_
#define CREST_PRIME_FLEET_DIAL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "crest/v1/agent.grpc.pb.h"
#include "prime/fleet/fleet.h"

namespace crest {

/// What people call the agent.
const std::string& NameOf(const AgentEndpoint& agent);

/// A stub on a channel that connects when it is first used. InvalidArgument for an address that cannot be read.
absl::StatusOr<std::unique_ptr<v1::Agent::Stub>> Dial(const AgentEndpoint& agent, const TlsFiles& tls);

/// What a failed call to the agent `name` means and what to do. `bound`: how long it was waited for.
absl::Status ExplainRpc(const std::string& name, const grpc::Status& status, absl::Duration bound);

}  // namespace crest

#endif  // CREST_PRIME_FLEET_DIAL_H_
