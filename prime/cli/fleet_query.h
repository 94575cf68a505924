// Asks the agents of a spec what they are, without holding them.
#ifndef CREST_PRIME_CLI_FLEET_QUERY_H_
#define CREST_PRIME_CLI_FLEET_QUERY_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "crest/v1/check.pb.h"
#include "prime/fleet/fleet.h"
#include "prime/fleet/tls.h"

namespace crest {

/// All agents of `spec`, in its order; where it names none that sends load, one that is started on this host for the
/// question and ended after it. An agent that cannot be reached has an error instead of a status. NotFound, Unavailable
/// or InvalidArgument when the question could not be put at all.
absl::StatusOr<v1::AgentsReport> QueryFleet(const v1::RunSpec& spec, const TlsFiles& tls_flags);

/// Whether each agent can be reached and can do the spec's workload on its targets; what is wrong becomes the agent's
/// error. The status is that of the first problem: Unavailable before InvalidArgument.
absl::Status CheckFleet(const v1::RunSpec& spec, v1::AgentsReport& report);

}  // namespace crest

#endif  // CREST_PRIME_CLI_FLEET_QUERY_H_
