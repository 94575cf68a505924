#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "prime/cli/command.h"
#include "prime/spec/spec.h"
#include "workloads/profiles.h"

namespace crest {
namespace {

ExitCode ListWorkloads() {
  std::string text;
  for (const Profile& profile : Profiles()) {
    const absl::StatusOr<v1::Workload> workload = ProfileWorkload(profile.name);
    if (!workload.ok()) return Fail(workload.status());
    absl::StrAppendFormat(&text, "%-16s %s\n", std::string(profile.name), workload->description());
  }
  PrintResult(text);
  return kExitValid;
}

ExitCode ShowWorkload(const std::string& name) {
  const absl::StatusOr<v1::Workload> workload = ProfileWorkload(name);
  if (!workload.ok()) {
    PrintProblem(absl::string_view(workload.status().message()));
    return kExitWrongCall;
  }
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) PrintResult(profile.yaml);
  }
  return kExitValid;
}

}  // namespace

void AddWorkloadsCommand(CLI::App& app, Call& call) {
  CLI::App& command = *app.add_subcommand("workloads", "List the workloads that ship with crest");
  command.require_subcommand(0, 1);
  command.callback([&call] {
    if (!call.action) call.action = ListWorkloads;
  });
  auto name = std::make_shared<std::string>();
  CLI::App& show = *command.add_subcommand("show", "Print one of them as YAML");
  show.add_option("NAME", *name, "Name of the workload")->required();
  show.callback([name, &call] { call.action = [name] { return ShowWorkload(*name); }; });
}

}  // namespace crest
