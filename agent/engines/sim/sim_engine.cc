// Engine `sim`: a queueing model in place of a server, in virtual or in real time, so that crest's own figures can be
// held against textbook formulas.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agent/engine/engine.h"
#include "agent/engine/registry.h"
#include "agent/engines/sim/queue_model.h"
#include "base/status.h"

namespace crest {
namespace {

/// One simulated server, shared by every engine of this process that was opened on its URL: the generators of an agent
/// in real time, all agents of a simulation in virtual time.
class SharedQueue {
 public:
  SharedQueue(const QueueModelSpec& spec, uint64_t seed) : model_(spec, seed) {}

  MonoTime Arrive(MonoTime now) {
    absl::MutexLock lock(&mutex_);
    return model_.Arrive(now);
  }

  static std::shared_ptr<SharedQueue> Get(const std::string& url, const QueueModelSpec& spec, uint64_t seed) {
    static absl::Mutex mutex(absl::kConstInit);
    static auto* const queues = new std::map<std::string, std::weak_ptr<SharedQueue>>;
    absl::MutexLock lock(&mutex);
    std::weak_ptr<SharedQueue>& known = (*queues)[url];
    std::shared_ptr<SharedQueue> queue = known.lock();
    if (queue == nullptr) {
      queue = std::make_shared<SharedQueue>(spec, seed);
      known = queue;
    }
    return queue;
  }

 private:
  absl::Mutex mutex_;
  QueueModel model_ ABSL_GUARDED_BY(mutex_);
};

class SimEngine final : public Engine {
 public:
  SimEngine(const EngineConfig& config, std::vector<std::shared_ptr<SharedQueue>> queues)
      : clock_(config.clock), queues_(std::move(queues)), max_in_flight_(config.max_in_flight) {
    pending_.reserve(max_in_flight_);
  }

  SubmitResult Submit(const Operation& operation, uint64_t token, Completion&) override {
    if (pending_.size() >= max_in_flight_) return SubmitResult::kBusy;
    const MonoTime now = clock_->Now();
    const uint64_t directory = operation.parent.kind() == ObjectKind::kDirectory ? operation.parent.number() : 0;
    Completion completion;
    completion.token = token;
    completion.sent = now;
    completion.calls = 1;
    completion.done = queues_[directory % queues_.size()]->Arrive(now);
    if (operation.kind == v1::OPERATION_READ || operation.kind == v1::OPERATION_WRITE)
      completion.bytes = operation.length;
    pending_.push_back(completion);
    std::push_heap(pending_.begin(), pending_.end(), Later);
    return SubmitResult::kAccepted;
  }

  void Reap(MonoTime until, CompletionSink& sink) override {
    clock_->SleepUntil(std::min(until, NextCompletion()));
    const MonoTime now = clock_->Now();
    while (!pending_.empty() && pending_.front().done <= now) {
      const Completion completion = pending_.front();
      std::pop_heap(pending_.begin(), pending_.end(), Later);
      pending_.pop_back();
      sink.OnCompletion(completion);
    }
  }

  MonoTime NextCompletion() const override { return pending_.empty() ? MonoTime::Max() : pending_.front().done; }

  int in_flight() const override { return static_cast<int>(pending_.size()); }

 private:
  static bool Later(const Completion& a, const Completion& b) { return a.done > b.done; }

  Clock* clock_;
  std::vector<std::shared_ptr<SharedQueue>> queues_;
  size_t max_in_flight_;
  std::vector<Completion> pending_;  // a heap, the next to be done in front
};

absl::Status CheckTarget(const Target& target) { return ParseQueueModel(target).status(); }

absl::StatusOr<std::unique_ptr<Engine>> Open(const EngineConfig& config) {
  std::vector<std::shared_ptr<SharedQueue>> queues;
  for (const Target& target : config.targets) {
    CREST_ASSIGN_OR_RETURN(const QueueModelSpec spec, ParseQueueModel(target));
    queues.push_back(SharedQueue::Get(target.url, spec, config.seed));
  }
  return std::unique_ptr<Engine>(std::make_unique<SimEngine>(config, std::move(queues)));
}

const EngineType kType = {
    .scheme = "sim",
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
