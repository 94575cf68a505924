// Asks agents for their status.
#ifndef CREST_PRIME_FLEET_QUERY_H_
#define CREST_PRIME_FLEET_QUERY_H_

#include <functional>
#include <memory>
#include <vector>

#include "prime/fleet/dial.h"

namespace crest {

/// The status of the agent behind each stub, at most `options.connects_in_parallel` asked at once. Where `stubs` holds
/// an error, that error. `cancelled` is asked a few times a second; once it says yes, those without an answer are
/// Cancelled.
std::vector<absl::StatusOr<v1::AgentStatus>> QueryStubs(
    const std::vector<AgentEndpoint>& agents,
    const std::vector<absl::StatusOr<std::unique_ptr<v1::Agent::Stub>>>& stubs, const FleetOptions& options,
    const std::function<bool()>& cancelled);

}  // namespace crest

#endif  // CREST_PRIME_FLEET_QUERY_H_
