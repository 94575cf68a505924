// Engine `null`: every operation is over as soon as it is submitted. What remains is crest's own cost.
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agent/engine/engine.h"
#include "agent/engine/registry.h"

namespace crest {
namespace {

class NullEngine final : public Engine {
 public:
  explicit NullEngine(const EngineConfig& config) : clock_(config.clock) {}

  SubmitResult Submit(const Operation& operation, uint64_t token, Completion& completion) override {
    completion = Completion();
    completion.token = token;
    completion.calls = 1;
    // Only data operations move bytes.
    if (operation.kind == v1::OPERATION_READ || operation.kind == v1::OPERATION_WRITE)
      completion.bytes = operation.length;
    completion.sent = completion.done = clock_->Now();
    return SubmitResult::kDone;
  }

  void Reap(MonoTime until, CompletionSink&) override { clock_->SleepUntil(until); }

  int in_flight() const override { return 0; }

 private:
  Clock* clock_;
};

absl::Status CheckTarget(const Target& target) {
  if (target.host.empty() && target.path.empty() && target.parameters.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("target ", target.url, ": write null: without anything behind it"));
}

absl::StatusOr<std::unique_ptr<Engine>> Open(const EngineConfig& config) {
  return std::unique_ptr<Engine>(std::make_unique<NullEngine>(config));
}

const EngineType kType = {
    .scheme = "null",
    .operations = {v1::OPERATION_GETATTR, v1::OPERATION_SETATTR, v1::OPERATION_LOOKUP, v1::OPERATION_ACCESS,
                   v1::OPERATION_READLINK, v1::OPERATION_READ, v1::OPERATION_WRITE, v1::OPERATION_CREATE,
                   v1::OPERATION_REMOVE, v1::OPERATION_READDIR, v1::OPERATION_READDIRPLUS, v1::OPERATION_FSSTAT,
                   v1::OPERATION_COMMIT},
    .simulated = true,
    .check_target = CheckTarget,
    .open = Open,
};
[[maybe_unused]] const bool registered = RegisterEngine(&kType);

}  // namespace
}  // namespace crest
