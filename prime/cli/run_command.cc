#include <memory>

#include "base/clock.h"
#include "prime/cli/command.h"
#include "prime/view/progress_view.h"

namespace crest {
namespace {

struct Options {
  SpecOptions spec;
  std::string out = "runs";
  ReportFormat format = ReportFormat::kText;
};

ExitCode RunSpecFile(const Options& options, const std::string& command) {
  const ParsedSpec parsed = options.spec.Read();
  if (!parsed.ok()) return RefuseSpec(parsed);
  const absl::StatusOr<TlsFiles> tls = FindTlsFiles(options.spec.tls);
  if (!tls.ok()) {
    PrintProblem(absl::string_view(tls.status().message()));
    return kExitWrongCall;
  }
  const RealClock clock;
  ProgressView view(WriteStandardError, &clock, StandardErrorView(options.spec.quiet, options.spec.no_color));
  RunOptions run;
  run.spec = parsed.spec;
  run.streams = parsed.streams;
  run.command = command;
  run.out = options.out;
  run.format = options.format;
  run.colour = StandardOutputHasColour(options.spec.no_color);
  run.view = &view;
  run.fleet.tls = *tls;
  return Run(run).exit_code;
}

}  // namespace

void AddRunCommand(CLI::App& app, Call& call) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("run", "Run a spec and print its result");
  options->spec.AddSpec(command, true);
  command.add_option("--out", options->out, "Folder that gets the run's folder")
      ->type_name("DIR")
      ->capture_default_str();
  AddFormat<ReportFormat>(command, options->format,
                          {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}});
  options->spec.AddOutput(command);
  options->spec.AddTls(command);
  command.callback([options, &call] {
    call.action = [options, command_line = call.command] { return RunSpecFile(*options, command_line); };
  });
}

}  // namespace crest
