// Runs many streams in one event loop: sends each operation when it is due, times it, records it.
#ifndef CREST_AGENT_LOAD_GENERATOR_H_
#define CREST_AGENT_LOAD_GENERATOR_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "agent/engine/engine.h"
#include "agent/load/due_heap.h"
#include "agent/load/point_window.h"
#include "agent/load/recorder.h"
#include "base/clock.h"
#include "crest/v1/spec.pb.h"
#include "workloads/arrival_schedule.h"
#include "workloads/operation_stream.h"

namespace crest {

/// What stays the same over a session.
struct GeneratorConfig {
  const WorkloadModel* model = nullptr;
  uint32_t stream_count = 1;      // of the whole run
  std::vector<uint32_t> streams;  // numbers of this generator's
  uint32_t outstanding = 1;       // operations in flight per stream; 0: no limit per stream
  uint32_t slots = 1;             // operations in flight over all streams
};

/// One load point as a generator sees it.
struct GeneratorPoint {
  uint32_t point = 1;
  FileSetCounts counts;
  double stream_ops_per_s = 0;
  PointTimeline timeline;
  int64_t max_backlog_ns = 0;           // an arrival later than this is dropped and counted
  const PointWindow* window = nullptr;  // where the timeline's edges move to; unset: they stay. Outlives the point
};

/// Figures of one generator's load point that no interval carries.
struct GeneratorSummary {
  bool stopped = false;      // before its end
  Histogram unfinished_age;  // end of window − due of what was due and not done
  int64_t distinct_files = 0;
  int64_t distinct_bytes = 0;
  std::vector<Engine::ProcedureCount> procedures;  // over the measured window
};

/// The loop's body. The caller waits in between:
///
///   generator.Begin(point);
///   for (;;) {
///     MonoTime wake = generator.Dispatch();
///     if (generator.ended()) break;
///     engine.Reap(wake, generator);
///   }
///
/// so one generator serves real engines on a thread of its own and simulations of many generators on one thread. After
/// Begin nothing is allocated. Not thread-safe; `stop` and `lease_until_ns` may be set by other threads.
class Generator final : public CompletionSink {
 public:
  /// What the arguments point to outlives the generator.
  Generator(GeneratorConfig config, Engine* engine, Clock* clock, Recorder* recorder, const std::atomic<bool>* stop,
            const std::atomic<int64_t>* lease_until_ns);

  void Begin(const GeneratorPoint& point);

  /// Sends what is due. Returns when it wants to be called again at the latest.
  MonoTime Dispatch();

  /// The load point is over: its window has passed, `stop` was set or the lease has run out.
  bool ended() const { return ended_; }
  const GeneratorSummary& summary() const { return summary_; }
  /// Operations that streams created and did not remove in this load point.
  std::vector<Operation> Leftovers() const;
  /// Time spent spinning for a due time; the caller of Dispatch knows it.
  void AddSpin(int64_t spin_ns) { recorder_->current().spin_ns += spin_ns; }

  void OnCompletion(const Completion& completion) override;

 private:
  struct Stream {
    Stream(ArrivalSchedule schedule, OperationStream stream_operations)
        : arrivals(schedule), operations(std::move(stream_operations)) {}

    ArrivalSchedule arrivals;  // its current arrival is the next to be sent
    OperationStream operations;
    std::optional<Operation> held;  // drawn and not yet taken by the engine
    uint32_t in_flight = 0;
    uint32_t creates_in_flight = 0;
    bool waiting = false;  // its current arrival has had to wait for a slot, the engine or an operation before it
    bool queued = false;   // in due_
  };

  struct Slot {
    int64_t due_ns = 0;
    uint32_t stream = 0;
    uint32_t point_serial = 0;  // 0: free
    v1::OperationKind kind = v1::OPERATION_UNSPECIFIED;
    bool on_time = false;  // found a free stream: its lag is the generator's own
  };

  enum class Sent { kContinue, kHeld };

  // Sends the current arrival of the stream; `now` becomes the time after.
  Sent Send(uint32_t index, MonoTime& now);
  bool MustWait(const Stream& stream, const Operation& operation) const;
  bool HasRoom(const Stream& stream) const {
    return config_.outstanding == 0 || stream.in_flight < config_.outstanding;
  }
  void DropLateArrivals(Stream& stream, int64_t now_ns);
  void Enqueue(uint32_t index, bool waiting);
  void RetryHeld(MonoTime& now);
  void Record(const Slot& slot, const Completion& completion);
  // Publishes every interval that is over at `now`.
  void Rotate(MonoTime now);
  void BeginInterval(uint32_t index);
  void PublishInterval();
  void End(MonoTime now);
  void CountUnfinished(int64_t end_ns);

  GeneratorConfig config_;
  Engine* engine_;
  Clock* clock_;
  Recorder* recorder_;
  const std::atomic<bool>* stop_;
  const std::atomic<int64_t>* lease_until_ns_;

  GeneratorPoint point_;
  uint32_t point_serial_ = 0;
  bool ended_ = true;
  MonoTime interval_end_;
  std::vector<Stream> streams_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::vector<uint32_t> held_streams_;
  DueHeap due_;
  MonoTime slots_free_since_;  // when there last came to be a free slot after there was none
  int64_t reconnects_seen_ = 0;
  std::vector<Engine::ProcedureCount> procedures_at_start_;
  GeneratorSummary summary_;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_GENERATOR_H_
