// What a run would do, told before it does it.
#ifndef CREST_PRIME_CLI_PLAN_H_
#define CREST_PRIME_CLI_PLAN_H_

#include <string>

#include "absl/status/statusor.h"
#include "crest/v1/check.pb.h"
#include "prime/spec/spec.h"

namespace crest {

/// The plan of a spec that is ok(); without agents. InvalidArgument when the file set would pass its `max_bytes`.
absl::StatusOr<v1::CheckReport> MakePlan(const ParsedSpec& parsed);

/// The errors of a spec that is not.
v1::CheckReport ErrorReport(const ParsedSpec& parsed);

/// The plan for people: one table, then findings and agents.
std::string PlanText(const v1::CheckReport& report);

/// A table of agents: address, version, host, engines, who holds it.
std::string AgentsText(const google::protobuf::RepeatedPtrField<v1::AgentCheck>& agents);

}  // namespace crest

#endif  // CREST_PRIME_CLI_PLAN_H_
