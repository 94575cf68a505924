// What a generator measured, second by second, handed to the thread that reports it without a lock on either side.
#ifndef CREST_AGENT_LOAD_RECORDER_H_
#define CREST_AGENT_LOAD_RECORDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "agent/engine/engine.h"
#include "agent/load/spsc_queue.h"
#include "base/clock.h"
#include "results/histogram.h"
#include "workloads/operation.h"

namespace crest {

/// The seconds of a load point: warm-up and window are each cut into intervals of one second, the last of each as long
/// as what is left. A value.
class PointTimeline {
 public:
  static constexpr int64_t kIntervalNs = 1'000'000'000;

  PointTimeline() = default;
  PointTimeline(MonoTime start, int64_t warmup_ns, int64_t measure_ns)
      : start_(start), warmup_ns_(warmup_ns), measure_ns_(measure_ns) {}

  struct Interval {
    int64_t start_ns = 0;  // from the start of the load point
    int64_t length_ns = 0;
    bool measured = false;
    bool ends_phase = false;  // the last of the warm-up or of the window
  };
  /// `index` < interval_count().
  Interval IntervalAt(uint32_t index) const;
  uint32_t interval_count() const { return warmup_count() + CountOf(measure_ns_); }
  uint32_t warmup_count() const { return CountOf(warmup_ns_); }

  /// Moves edges that no interval has come near yet.
  void Resize(int64_t warmup_ns, int64_t measure_ns) {
    warmup_ns_ = warmup_ns;
    measure_ns_ = measure_ns;
  }

  int64_t warmup_ns() const { return warmup_ns_; }
  int64_t measure_ns() const { return measure_ns_; }
  MonoTime start() const { return start_; }
  MonoTime end() const { return start_ + (warmup_ns_ + measure_ns_); }

 private:
  static uint32_t CountOf(int64_t ns) { return static_cast<uint32_t>((ns + kIntervalNs - 1) / kIntervalNs); }

  MonoTime start_;
  int64_t warmup_ns_ = 0;
  int64_t measure_ns_ = 0;
};

/// What happened to the operations of one kind.
struct OperationRecord {
  static constexpr size_t kOutcomes = 256;

  Histogram response;         // done − due of the successful
  Histogram service;          // done − sent of the successful
  Histogram failed_response;  // done − due of the failed
  int64_t sent = 0;
  int64_t calls = 0;
  int64_t extra_calls = 0;
  int64_t bytes = 0;
  std::array<int64_t, kOutcomes> failures{};  // by Outcome

  bool empty() const { return sent == 0 && calls == 0 && extra_calls == 0; }
};

/// One generator's interval.
struct IntervalRecord {
  uint32_t index = 0;
  PointTimeline::Interval interval;
  bool last = false;  // the generator sends nothing more in this load point
  std::array<OperationRecord, kOperationKinds> operations;
  Histogram schedule_lag;
  int64_t dropped = 0;
  int64_t in_flight = 0;  // at its end
  int64_t reconnects = 0;
  int64_t spin_ns = 0;

  void Clear();
};

/// Hands out blank records and takes in full ones. `current`, Publish: the generator's thread. Take, Return: one
/// reporting thread. A generator allocates a record only when the reporter is more than kRecords behind.
class Recorder {
 public:
  Recorder();

  IntervalRecord& current() { return *current_; }
  /// Passes the current record on and begins a blank one.
  void Publish();

  /// The oldest published record; nullptr when there is none.
  std::unique_ptr<IntervalRecord> Take();
  void Return(std::unique_ptr<IntervalRecord> record);

 private:
  static constexpr size_t kRecords = 4;
  static constexpr size_t kQueue = 4096;  // an hour of intervals that nobody takes

  std::unique_ptr<IntervalRecord> current_;
  std::vector<std::unique_ptr<IntervalRecord>> unqueued_;  // full ones that found the queue full
  SpscQueue<IntervalRecord*, kQueue> full_;
  SpscQueue<IntervalRecord*, kRecords> blank_;

 public:
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_RECORDER_H_
