// Runs many tasks over one engine: preparing and cleaning up, where throughput counts and single times do not.
#ifndef CREST_AGENT_LOAD_TASK_RUNNER_H_
#define CREST_AGENT_LOAD_TASK_RUNNER_H_

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/engine/engine.h"
#include "agent/load/task.h"
#include "base/clock.h"

namespace crest {

/// Not thread-safe, but for `stop`.
class TaskRunner final : public CompletionSink {
 public:
  /// What the arguments point to outlives the runner. An engine that takes nothing for `patience` fails the run.
  TaskRunner(Engine* engine, Clock* clock, const std::atomic<bool>* stop, absl::Duration patience = absl::Seconds(30));

  /// Runs the tasks that `next` yields until it yields none, at most `concurrency` at once. The first error ends it: no
  /// further task starts, those under way are dropped once their operations are answered or `grace` has passed.
  /// Cancelled when `stop` is set.
  absl::Status Run(const std::function<std::optional<Task>()>& next, int concurrency,
                   absl::Duration grace = absl::Seconds(2));

  /// co_await runner.Do(operation) submits it and yields its Completion.
  struct Doing {
    TaskRunner* runner;
    Operation operation;
    Completion completion;
    std::coroutine_handle<> waiting;

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle);
    Completion await_resume() const { return completion; }
  };
  Doing Do(const Operation& operation) { return Doing{this, operation, {}, nullptr}; }

  /// The Status of an operation that failed: what, where, what to do.
  absl::Status Failure(const Operation& operation, Outcome outcome) const;

  /// Protocol calls that the operations so far took.
  int64_t calls() const { return calls_; }

  void OnCompletion(const Completion& completion) override;

 private:
  // False: it is over already.
  bool Submit(Doing* doing);
  void SubmitWaiting();

  Engine* engine_;
  Clock* clock_;
  const std::atomic<bool>* stop_;
  absl::Duration patience_;
  uint32_t serial_;                // tells this runner's tokens from others'
  std::vector<Doing*> in_flight_;  // by token
  std::vector<uint32_t> free_tokens_;
  std::deque<Doing*> unsubmitted_;  // the engine was busy
  std::vector<std::coroutine_handle<>> answered_;
  MonoTime last_taken_;
  int64_t calls_ = 0;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_TASK_RUNNER_H_
