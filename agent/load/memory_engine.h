// A target in memory for tests: keeps objects and sizes as a server would, answers when Reap is called, and fails on
// demand.
#ifndef CREST_AGENT_LOAD_MEMORY_ENGINE_H_
#define CREST_AGENT_LOAD_MEMORY_ENGINE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "agent/engine/engine.h"

namespace crest {

/// Every answer comes `delay_ns` after its operation, in virtual or real time. Not thread-safe.
class MemoryEngine final : public Engine {
 public:
  explicit MemoryEngine(Clock* clock, int64_t delay_ns = 1000) : clock_(clock), delay_ns_(delay_ns) {}

  SubmitResult Submit(const Operation& operation, uint64_t token, Completion&) override {
    if (busy) return SubmitResult::kBusy;
    submitted.push_back(operation);
    Completion completion;
    completion.token = token;
    completion.sent = clock_->Now();
    completion.done = completion.sent + delay_ns_;
    completion.calls = 1;
    completion.outcome = fail ? fail(operation) : kOk;
    if (completion.outcome == kOk) Perform(operation, completion);
    pending_.push_back(completion);
    return SubmitResult::kAccepted;
  }

  void Reap(MonoTime until, CompletionSink& sink) override {
    clock_->SleepUntil(std::min(until, NextCompletion()));
    std::vector<Completion> done;
    const auto first_later = std::find_if(pending_.begin(), pending_.end(),
                                          [&](const Completion& c) { return hang || c.done > clock_->Now(); });
    done.assign(pending_.begin(), first_later);
    pending_.erase(pending_.begin(), first_later);
    for (const Completion& completion : done) sink.OnCompletion(completion);
  }

  MonoTime NextCompletion() const override {
    return pending_.empty() || hang ? MonoTime::Max() : pending_.front().done;
  }
  int in_flight() const override { return static_cast<int>(pending_.size()); }
  absl::StatusOr<Space> CheckSpace() override { return Space{.free_bytes = free_bytes}; }

  bool busy = false;  // takes nothing
  bool hang = false;  // answers nothing
  double free_bytes = 1e300;
  std::function<Outcome(const Operation&)> fail;  // kOk: perform it
  std::map<uint64_t, int64_t> objects;            // ObjectId::value → size
  std::vector<Operation> submitted;

 private:
  void Perform(const Operation& operation, Completion& completion) {
    const uint64_t id = operation.object.value;
    const auto found = objects.find(id);
    const bool there = found != objects.end();
    const bool needs_parent = operation.object.kind() != ObjectKind::kRoot;
    if (needs_parent && objects.count(operation.parent.value) == 0) {
      completion.outcome = kNotFound;
      return;
    }
    switch (operation.kind) {
      case v1::OPERATION_MKDIR:
      case v1::OPERATION_SYMLINK:
        completion.outcome = there ? kAlreadyExists : kOk;
        objects.emplace(id, 0);
        break;
      case v1::OPERATION_CREATE:
        objects.emplace(id, 0);
        break;
      case v1::OPERATION_REMOVE:
      case v1::OPERATION_RMDIR:
        completion.outcome = there ? kOk : kNotFound;
        objects.erase(id);
        break;
      default:
        if (!there) {
          completion.outcome = kNotFound;
        } else if (operation.kind == v1::OPERATION_WRITE) {
          found->second = std::max(found->second, static_cast<int64_t>(operation.offset + operation.length));
        } else {
          completion.object_size = found->second;
        }
    }
    if (operation.kind == v1::OPERATION_READ || operation.kind == v1::OPERATION_WRITE)
      completion.bytes = operation.length;
  }

  Clock* clock_;
  int64_t delay_ns_;
  std::vector<Completion> pending_;  // in the order of their ends
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_MEMORY_ENGINE_H_
