#include <fstream>
#include <memory>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "prime/cli/command.h"
#include "prime/import/nfsstat.h"
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

absl::StatusOr<Nfs3Counters> ReadCounters(const std::string& path) {
  constexpr size_t kMaxBytes = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof())) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read; give a file"));
  }
  if (text.size() > kMaxBytes) return absl::InvalidArgumentError(absl::StrCat(path, ": is larger than 1 MiB"));
  absl::StatusOr<Nfs3Counters> counters = ParseNfs3Counters(text);
  if (!counters.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", counters.status().message()));
  return counters;
}

absl::StatusOr<std::string> WorkloadFromFiles(const std::string& before, const std::string& after) {
  CREST_ASSIGN_OR_RETURN(const Nfs3Counters first, ReadCounters(before));
  CREST_ASSIGN_OR_RETURN(const Nfs3Counters second, ReadCounters(after));
  return WorkloadFromNfs3Counters(first, second);
}

ExitCode PrintWorkloadFromFiles(const std::string& before, const std::string& after) {
  const absl::StatusOr<std::string> workload = WorkloadFromFiles(before, after);
  if (!workload.ok()) {
    PrintProblem(absl::string_view(workload.status().message()));
    return kExitWrongCall;
  }
  PrintResult(*workload);
  return kExitValid;
}

void AddFromNfsstat(CLI::App& workloads, Call& call) {
  auto files = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App& command = *workloads.add_subcommand(
      "from-nfsstat", "Print a workload with the mix of a real NFSv3 server, from its counters at two moments");
  command
      .add_option(
          "BEFORE", files->first,
          "What `nfsstat -s -3 -l` or `nfsstat -s` printed on the server at first, or a copy of its /proc/net/rpc/nfsd")
      ->required();
  command.add_option("AFTER", files->second, "The same, some time later; /dev/stdin reads standard input")->required();
  command.footer(
      "\nThe output is a workload section for a spec:\n"
      "  ssh filer nfsstat -s -3 -l > before; sleep 3600; ssh filer nfsstat -s -3 -l > after\n"
      "  crest workloads from-nfsstat before after >> filer.yaml");
  command.callback(
      [files, &call] { call.action = [files] { return PrintWorkloadFromFiles(files->first, files->second); }; });
}

}  // namespace

void AddWorkloadsCommand(CLI::App& app, Call& call) {
  CLI::App& command =
      *app.add_subcommand("workloads", "List the workloads that ship with crest, show one, or make one");
  command.require_subcommand(0, 1);
  command.callback([&call] {
    if (!call.action) call.action = ListWorkloads;
  });
  auto name = std::make_shared<std::string>();
  CLI::App& show = *command.add_subcommand("show", "Print one of them as YAML");
  show.add_option("NAME", *name, "Name of the workload")->required();
  show.callback([name, &call] { call.action = [name] { return ShowWorkload(*name); }; });
  AddFromNfsstat(command, call);
}

}  // namespace crest
