#include <memory>

#include "absl/strings/str_cat.h"
#include "prime/cli/command.h"
#include "prime/cli/fleet_query.h"
#include "prime/cli/plan.h"

namespace crest {
namespace {

struct Options {
  SpecOptions spec;
  bool json = false;
};

ExitCode Refuse(const Options& options, const ParsedSpec& parsed) {
  const ExitCode code = RefuseSpec(parsed);
  return options.json ? PrintJson(ErrorReport(parsed), code) : code;
}

// The plan is printed even where agents cannot follow it: it is what the user will want to see next.
ExitCode CheckSpecFile(const Options& options) {
  ParsedSpec parsed = options.spec.Read();
  if (!parsed.ok()) return Refuse(options, parsed);
  absl::StatusOr<v1::CheckReport> report = MakePlan(parsed);
  if (!report.ok()) {
    parsed.errors.push_back({Place{options.spec.path, 1, 1}, std::string(report.status().message())});
    return Refuse(options, parsed);
  }
  absl::StatusOr<v1::AgentsReport> agents = QueryFleet(parsed.spec, options.spec.tls);
  const absl::Status status = agents.ok() ? CheckFleet(parsed.spec, *agents) : agents.status();
  if (agents.ok()) *report->mutable_agents() = agents->agents();
  report->set_ok(status.ok());
  for (const v1::AgentCheck& agent : report->agents()) {
    if (!agent.error().empty()) PrintProblem(absl::string_view(agent.error()));
  }
  if (!agents.ok()) PrintProblem(absl::string_view(agents.status().message()));
  const ExitCode code = status.ok() ? kExitValid : ExitCodeOf(status);
  if (options.json) return PrintJson(*report, code);
  PrintResult(absl::StrCat(PlanText(*report), agents.ok() ? absl::StrCat("\n", AgentsText(report->agents())) : ""));
  return code;
}

}  // namespace

void AddCheckCommand(CLI::App& app, Call& call) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "check", "Check a spec, ask its agents what they can do, and print the plan; touches no target");
  options->spec.AddSpec(command, true);
  AddJsonFormat(command, options->json);
  options->spec.AddTls(command);
  command.callback([options, &call] { call.action = [options] { return CheckSpecFile(*options); }; });
}

}  // namespace crest
