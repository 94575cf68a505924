#include "agent/load/task_runner.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace crest {
namespace {

// Marks a token as a task's: a generator that shares the engine later takes no notice of it.
constexpr uint64_t kTaskToken = uint64_t{1} << 63;
// How often `stop` is looked at while nothing happens.
constexpr int64_t kPollNs = 20'000'000;

std::atomic<uint32_t> next_serial{0};

absl::StatusCode CodeOf(Outcome outcome) {
  switch (outcome) {
    case kTimedOut:
      return absl::StatusCode::kDeadlineExceeded;
    case kConnectionLost:
      return absl::StatusCode::kUnavailable;
    case kNotFound:
      return absl::StatusCode::kNotFound;
    case kNoSpace:
      return absl::StatusCode::kResourceExhausted;
    case kReadOnly:
      return absl::StatusCode::kFailedPrecondition;
    case kPermissionDenied:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kAborted;
  }
}

}  // namespace

TaskRunner::TaskRunner(Engine* engine, Clock* clock, const std::atomic<bool>* stop, absl::Duration patience)
    : engine_(engine), clock_(clock), stop_(stop), patience_(patience), serial_(++next_serial & 0x7fffffff) {}

absl::Status TaskRunner::Run(const std::function<std::optional<Task>()>& next, int concurrency, absl::Duration grace) {
  std::list<Task> tasks;
  absl::Status status;
  bool more = true;
  MonoTime give_up = MonoTime::Max();
  last_taken_ = clock_->Now();
  for (;;) {
    while (more && status.ok() && static_cast<int>(tasks.size()) < concurrency) {
      std::optional<Task> task = next();
      more = task.has_value();
      if (!more) break;
      tasks.push_back(*std::move(task));
      tasks.back().Start();
    }
    tasks.remove_if([&status](const Task& task) {
      if (!task.done()) return false;
      if (status.ok()) status = task.result();
      return true;
    });
    if (status.ok() && stop_->load()) status = absl::CancelledError("stopped");
    const MonoTime now = clock_->Now();
    if (status.ok() && !unsubmitted_.empty() && now - last_taken_ > absl::ToInt64Nanoseconds(patience_)) {
      status = absl::UnavailableError(absl::StrCat("the target has taken no operation for ",
                                                   crest::FormatDuration(patience_), "; is the server still up?"));
    }
    if (!status.ok()) {
      unsubmitted_.clear();
      answered_.clear();
      give_up = std::min(give_up, now + grace);
      const bool answered = free_tokens_.size() == in_flight_.size();
      if (answered || now >= give_up) break;
    } else if (tasks.empty() && !more) {
      break;
    }
    if (tasks.empty() && status.ok()) continue;
    engine_->Reap(now + kPollNs, *this);
    SubmitWaiting();
    // Not from within Reap: a task goes on by submitting again.
    for (size_t i = 0; i < answered_.size(); ++i) answered_[i].resume();
    answered_.clear();
  }
  std::fill(in_flight_.begin(), in_flight_.end(), nullptr);  // answers that still come belong to nobody
  return status;
}

bool TaskRunner::Doing::await_suspend(std::coroutine_handle<> handle) {
  waiting = handle;
  return runner->Submit(this);
}

bool TaskRunner::Submit(Doing* doing) {
  if (free_tokens_.empty()) {
    free_tokens_.push_back(static_cast<uint32_t>(in_flight_.size()));
    in_flight_.push_back(nullptr);
  }
  const uint32_t token = free_tokens_.back();
  switch (engine_->Submit(doing->operation, kTaskToken | uint64_t{serial_} << 32 | token, doing->completion)) {
    case SubmitResult::kDone:
      calls_ += doing->completion.calls + doing->completion.extra_calls;
      last_taken_ = clock_->Now();
      return false;
    case SubmitResult::kAccepted:
      free_tokens_.pop_back();
      in_flight_[token] = doing;
      last_taken_ = clock_->Now();
      return true;
    case SubmitResult::kBusy:
      unsubmitted_.push_back(doing);
      return true;
  }
  return true;
}

void TaskRunner::SubmitWaiting() {
  for (size_t n = unsubmitted_.size(); n > 0; --n) {
    Doing* const doing = unsubmitted_.front();
    unsubmitted_.pop_front();
    if (!Submit(doing)) {
      answered_.push_back(doing->waiting);
    } else if (!unsubmitted_.empty() && unsubmitted_.back() == doing) {
      return;  // busy still
    }
  }
}

void TaskRunner::OnCompletion(const Completion& completion) {
  if ((completion.token & kTaskToken) == 0 || (completion.token >> 32 & 0x7fffffff) != serial_) return;
  const auto token = static_cast<uint32_t>(completion.token);
  Doing* const doing = in_flight_[token];
  in_flight_[token] = nullptr;
  free_tokens_.push_back(token);
  if (doing == nullptr) return;
  calls_ += completion.calls + completion.extra_calls;
  doing->completion = completion;
  answered_.push_back(doing->waiting);
}

absl::Status TaskRunner::Failure(const Operation& operation, Outcome outcome) const {
  return absl::Status(CodeOf(outcome), absl::StrCat(OperationName(operation.kind),
                                                    " failed while preparing: ", engine_->Explain(outcome)));
}

}  // namespace crest
