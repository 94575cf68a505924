// One run, from a checked spec to a result on disk and a summary on standard output.
#ifndef CREST_PRIME_RUN_RUN_H_
#define CREST_PRIME_RUN_RUN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "crest/v1/spec.pb.h"
#include "prime/fleet/fleet.h"
#include "prime/view/progress_view.h"

namespace crest {

/// What a shell is told.
enum ExitCode : int {
  kExitValid = 0,        // done and valid
  kExitNotValid = 1,     // done, not valid
  kExitWrongCall = 2,    // the spec or the call is wrong
  kExitLost = 3,         // an agent or the target cannot be reached or was lost
  kExitInterrupted = 4,  // what was measured is saved
};

enum class ReportFormat { kText, kJson, kCsv };

struct RunOptions {
  v1::RunSpec spec;      // whole and checked: profile expanded, defaults filled in, ranges of agents too
  uint32_t streams = 0;  // of the whole run
  std::string command;   // as it was typed
  std::string out = "runs";
  ReportFormat format = ReportFormat::kText;
  bool colour = false;  // of the report on standard output
  /// Progress and messages; outlives the run.
  ProgressView* view = nullptr;
  /// Where the report goes; unset: standard output.
  std::function<void(absl::string_view)> write;
  FleetOptions fleet;          // tls; the rest has good defaults
  std::string agent_program;   // of the run's own agent; empty: crest-agent beside this program, else of $PATH
  bool handle_signals = true;  // SIGINT, SIGTERM, SIGHUP end the run gently; a second one at once
};

struct RunOutcome {
  ExitCode exit_code = kExitValid;
  std::string folder;  // of the run; empty: nothing was measured
};

/// Runs it. Errors go to the view; the report to `write`. A run that fails before its first load point is measured
/// leaves no folder.
RunOutcome Run(const RunOptions& options);

/// The exit code of a run that ends with the error `status`: InvalidArgument is the spec's, Cancelled an interrupt, all
/// else an agent's or the target's.
ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace crest

#endif  // CREST_PRIME_RUN_RUN_H_
