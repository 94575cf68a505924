#include "agent/service/fake_load.h"

#include <chrono>
#include <utility>

namespace crest {
namespace {

using State = FakeLoadScript::State;

class FakeLoad final : public LoadSession {
 public:
  explicit FakeLoad(std::shared_ptr<FakeLoadScript> script) : script_(std::move(script)) {}

  absl::StatusOr<v1::Prepared> Prepare(const v1::Prepare&,
                                       const std::function<void(const v1::PrepareProgress&)>& progress) override {
    v1::PrepareProgress now;
    now.set_phase("building file set");
    progress(now);
    script_->Do([this](State& state) {
      ++state.preparing;
      state.lease_until_ns = lease_until_ns();
    });
    script_->Wait([this](const State& state) { return !state.hold_prepare || stopped_; });
    if (stopped_) return absl::CancelledError("prepare was stopped");
    const absl::Status status = script_->Do([](State& state) { return state.prepare_status; });
    if (!status.ok()) return status;
    v1::Prepared prepared;
    prepared.set_files_created(7);
    return prepared;
  }

  absl::StatusOr<v1::PointDone> RunPoint(const v1::StartPoint& start,
                                         const std::function<void(v1::IntervalReport)>& report) override {
    const int intervals = script_->Do([](State& state) { return state.intervals; });
    for (int i = 0; i < intervals && !stopped_; ++i) {
      v1::IntervalReport interval;
      interval.set_point(start.point());
      interval.set_start_ns(i);
      report(interval);
    }
    script_->Do([](State& state) { ++state.running; });
    script_->Wait([this](const State& state) { return !state.hold_point || stopped_; });
    script_->Do([](State& state) { --state.running; });
    v1::PointDone done;
    done.set_point(start.point());
    done.set_stopped(stopped_);
    return done;
  }

  void Adjust(const v1::AdjustPoint& adjust) override {
    script_->Do([&](State& state) { state.adjusted.push_back(adjust); });
  }
  void Stop() override {
    stopped_ = true;
    script_->Do([](State& state) { ++state.stops; });
  }
  void Resume() override { stopped_ = false; }
  void Close() override {
    script_->Do([](State& state) { ++state.closes; });
  }

 private:
  const std::shared_ptr<FakeLoadScript> script_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

bool FakeLoadScript::WaitFor(const std::function<bool(const State&)>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return condition(state_); });
}

void FakeLoadScript::Wait(const std::function<bool(const State&)>& condition) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return condition(state_); });
}

absl::StatusOr<std::unique_ptr<LoadSession>> OpenFakeLoad(const std::shared_ptr<FakeLoadScript>& script) {
  script->Do([](State& state) { ++state.opening; });
  script->Wait([](const State& state) { return !state.hold_open; });
  const absl::Status status = script->Do([](State& state) {
    ++state.opened;
    return state.open_status;
  });
  if (!status.ok()) return status;
  return std::make_unique<FakeLoad>(script);
}

}  // namespace crest
