#include "agent/load/observer_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "agent/host/host_load.h"
#include "agent/host/storage_load.h"
#include "agent/load/open_session_check.h"
#include "agent/load/point_window.h"
#include "base/clock.h"
#include "base/status.h"

namespace crest {
namespace {

class ObserverSession final : public LoadSession {
 public:
  absl::StatusOr<v1::Prepared> Prepare(const v1::Prepare&,
                                       const std::function<void(const v1::PrepareProgress&)>&) override {
    return v1::Prepared();
  }

  absl::StatusOr<v1::PointDone> RunPoint(const v1::StartPoint& start,
                                         const std::function<void(v1::IntervalReport)>& report) override;

  void Adjust(const v1::AdjustPoint& adjust) override {
    if (adjust.point() == 0 || adjust.point() != running_point_) return;
    const MonoTime now = clock_.Now();
    if (adjust.has_warmup()) window_.EndWarmup(ToNs(adjust.warmup()), now);
    if (adjust.has_measure()) window_.EndMeasure(ToNs(adjust.measure()), now);
  }

  void Stop() override { SetStop(true); }
  void Resume() override { SetStop(false); }
  void Close() override {}

 private:
  void SetStop(bool stop) {
    const std::lock_guard lock(mutex_);
    stop_ = stop;
    changed_.notify_all();
  }
  // False where it was stopped before.
  bool WaitUntil(MonoTime moment);
  // Reports the seconds of one phase, from its beginning to `end`, both ns from the start of the load point. The end is
  // asked for each second, since it may move.
  template <typename End>
  bool ObservePhase(const v1::StartPoint& start, bool measured, int64_t begin_ns, End end,
                    const std::function<void(v1::IntervalReport)>& report);
  v1::HostLoad Sample();

  RealClock clock_;
  PointWindow window_;
  std::atomic<uint32_t> running_point_{0};  // whose edges may move; 0: none
  std::unique_ptr<HostLoadSampler> host_;
  std::unique_ptr<StorageLoadSampler> storage_;
  // The standard library's, since the thread sanitizer sees into them.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
};

bool ObserverSession::WaitUntil(MonoTime moment) {
  std::unique_lock lock(mutex_);
  for (MonoTime now = clock_.Now(); now < moment; now = clock_.Now()) {
    if (changed_.wait_for(lock, std::chrono::nanoseconds(moment - now), [this] { return stop_; })) return false;
  }
  return !stop_;
}

v1::HostLoad ObserverSession::Sample() {
  v1::HostLoad load = host_->Sample();
  storage_->Sample(&load);
  return load;
}

template <typename End>
bool ObserverSession::ObservePhase(const v1::StartPoint& start, bool measured, int64_t begin_ns, End end,
                                   const std::function<void(v1::IntervalReport)>& report) {
  constexpr int64_t kIntervalNs = PointTimeline::kIntervalNs;
  const MonoTime zero{start.start_ns()};
  for (int64_t at = begin_ns; at < end();) {
    int64_t next = std::min(at + kIntervalNs, end());
    if (!WaitUntil(zero + next)) return false;
    // A host that stood still slept through seconds: they are one interval, for which the counters hold.
    while (next < end() && next + kIntervalNs <= clock_.Now() - zero) next = std::min(next + kIntervalNs, end());
    v1::IntervalReport interval;
    interval.set_point(start.point());
    interval.set_measured(measured);
    interval.set_start_ns(at);
    interval.set_length_ns(next - at);
    *interval.mutable_host_load() = Sample();
    report(std::move(interval));
    at = next;
  }
  return true;
}

absl::StatusOr<v1::PointDone> ObserverSession::RunPoint(const v1::StartPoint& start,
                                                        const std::function<void(v1::IntervalReport)>& report) {
  CREST_RETURN_IF_ERROR(CheckStartPoint(start, clock_.Now()));
  window_.Begin(PointTimeline(MonoTime{start.start_ns()}, ToNs(start.warmup()), ToNs(start.measure())));
  running_point_ = start.point();
  bool whole = WaitUntil(MonoTime{start.start_ns()});
  host_ = std::make_unique<HostLoadSampler>();
  storage_ = std::make_unique<StorageLoadSampler>();
  const auto warmup_end = [this] { return window_.warmup_ns(); };
  const auto point_end = [this] { return window_.warmup_ns() + window_.measure_ns(); };
  whole = whole && ObservePhase(start, false, 0, warmup_end, report);
  whole = whole && ObservePhase(start, true, window_.warmup_ns(), point_end, report);
  running_point_ = 0;
  v1::PointDone done;
  done.set_point(start.point());
  done.set_stopped(!whole);
  return done;
}

}  // namespace

std::unique_ptr<LoadSession> MakeObserverSession() { return std::make_unique<ObserverSession>(); }

}  // namespace crest
