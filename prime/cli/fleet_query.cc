#include "prime/cli/fleet_query.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "prime/cli/command.h"
#include "prime/fleet/local_agent.h"

namespace crest {
namespace {

constexpr char kLocalName[] = "this host";

v1::AgentsReport Ask(const std::vector<AgentEndpoint>& agents, const FleetOptions& options) {
  v1::AgentsReport report;
  const std::vector<absl::StatusOr<v1::AgentStatus>> answers = QueryAgents(agents, options);
  for (size_t i = 0; i < answers.size(); ++i) {
    v1::AgentCheck& agent = *report.add_agents();
    agent.set_address(agents[i].name.empty() ? agents[i].address : agents[i].name);
    agent.set_observer(agents[i].observer);
    if (answers[i].ok()) {
      *agent.mutable_status() = *answers[i];
    } else {
      agent.set_error(std::string(answers[i].status().message()));
    }
  }
  return report;
}

}  // namespace

absl::StatusOr<v1::AgentsReport> QueryFleet(const v1::RunSpec& spec, const TlsFiles& tls_flags) {
  FleetOptions options;
  CREST_ASSIGN_OR_RETURN(options.tls, FindTlsFiles(tls_flags));
  std::vector<AgentEndpoint> endpoints = Endpoints(spec);
  const auto sends_load = [](const AgentEndpoint& endpoint) { return !endpoint.observer; };
  if (std::any_of(endpoints.begin(), endpoints.end(), sends_load)) return Ask(endpoints, options);
  CREST_ASSIGN_OR_RETURN(const std::string program, FindAgentProgram());
  CREST_ASSIGN_OR_RETURN(const std::unique_ptr<LocalAgent> agent,
                         LocalAgent::Start(program, {spec.target().begin(), spec.target().end()}));
  endpoints.insert(endpoints.begin(), AgentEndpoint{agent->address(), kLocalName});
  return Ask(endpoints, options);
}

absl::Status CheckFleet(const v1::RunSpec& spec, v1::AgentsReport& report) {
  const std::vector<std::string> targets(spec.target().begin(), spec.target().end());
  absl::Status unreachable;
  absl::Status incapable;
  for (v1::AgentCheck& agent : *report.mutable_agents()) {
    if (!agent.has_status()) {
      unreachable.Update(absl::UnavailableError(agent.error()));
      continue;
    }
    if (agent.observer()) continue;
    const absl::Status status = CheckCapabilities(agent.address(), agent.status(), targets, spec.workload());
    if (!status.ok()) agent.set_error(std::string(status.message()));
    incapable.Update(status);
  }
  return unreachable.ok() ? incapable : unreachable;
}

}  // namespace crest
