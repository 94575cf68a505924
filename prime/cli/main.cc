// crest: the program of the prime.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "absl/strings/str_cat.h"
#include "base/version.h"
#include "prime/cli/command.h"

namespace crest {
namespace {

constexpr char kDescription[] = "Measures file servers and block storage: load points, response-time curve, peak, ORT.";

constexpr char kFooter[] =
    "\nExit codes:\n"
    "  0  done and valid\n"
    "  1  done, not valid\n"
    "  2  the spec or the call is wrong\n"
    "  3  an agent or the target cannot be reached or was lost\n"
    "  4  interrupted; what was measured is saved\n"
    "\nResults go to standard output, all else to standard error. `crest COMMAND --help` tells more.";

int Main(int argc, char** argv) {
  // A reader of our output that has gone away shows as a failed write.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(kDescription, "crest");
  app.set_version_flag("--version", absl::StrCat("crest ", kVersion));
  app.footer(kFooter);
  app.require_subcommand(1);
  Call call;
  for (int i = 0; i < argc; ++i) absl::StrAppend(&call.command, i == 0 ? "" : " ", QuoteWord(argv[i]));
  AddRunCommand(app, call);
  AddCheckCommand(app, call);
  AddAgentsCommand(app, call);
  AddWorkloadsCommand(app, call);
  AddReportCommand(app, call);
  AddOrtCommand(app, call);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitValid : kExitWrongCall;
  }
  const ExitCode code = call.action();
  return code == kExitValid && std::ferror(stdout) != 0 ? kExitLost : code;
}

}  // namespace
}  // namespace crest

int main(int argc, char** argv) {
  try {
    return crest::Main(argc, argv);
  } catch (const std::exception& e) {  // of libraries
    crest::PrintProblem(e.what());
    return crest::kExitLost;
  }
}
