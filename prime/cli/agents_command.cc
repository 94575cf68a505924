#include <memory>

#include "prime/cli/command.h"
#include "prime/cli/fleet_query.h"
#include "prime/cli/plan.h"

namespace crest {
namespace {

struct Options {
  SpecOptions spec;
  bool json = false;
};

ExitCode ListAgents(const Options& options) {
  v1::RunSpec spec;
  if (!options.spec.path.empty()) {
    const ParsedSpec parsed = options.spec.Read();
    if (!parsed.ok()) return RefuseSpec(parsed);
    spec = parsed.spec;
  } else if (!options.spec.agents.empty()) {
    const absl::StatusOr<std::vector<v1::AgentSpec>> agents = ParseAgents(SplitAgents(options.spec.agents));
    if (!agents.ok()) return Fail(agents.status());
    for (const v1::AgentSpec& agent : *agents) *spec.add_agents() = agent;
  }
  absl::StatusOr<v1::AgentsReport> report = QueryFleet(spec, options.spec.tls);
  if (!report.ok()) return Fail(report.status());
  ExitCode code = kExitValid;
  for (const v1::AgentCheck& agent : report->agents()) {
    if (agent.has_status()) continue;
    PrintProblem(absl::string_view(agent.error()));
    code = kExitLost;
  }
  if (options.json) return PrintJson(*report, code);
  PrintResult(AgentsText(report->agents()));
  return code;
}

}  // namespace

void AddAgentsCommand(CLI::App& app, Call& call) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("agents", "Ask agents what they are and who holds them");
  options->spec.AddSpec(command, false);
  AddJsonFormat(command, options->json);
  options->spec.AddTls(command);
  command.callback([options, &call] { call.action = [options] { return ListAgents(*options); }; });
}

}  // namespace crest
