#include "prime/run/run.h"

#include <unistd.h>

#include <optional>

#include "prime/run/runner.h"
#include "prime/run/signal_watch.h"

namespace crest {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitValid;
    case absl::StatusCode::kInvalidArgument:
      return kExitWrongCall;
    case absl::StatusCode::kCancelled:
      return kExitInterrupted;
    default:
      return kExitLost;
  }
}

RunOutcome Run(const RunOptions& options) {
  Runner runner(options);
  std::optional<SignalWatch> signals;
  if (options.handle_signals) {
    signals.emplace([&runner] { runner.Interrupt(); },
                    [&] {
                      runner.Abandon();
                      options.view->Clear();
                      _exit(kExitInterrupted);
                    });
  }
  return runner.Go();
}

}  // namespace crest
