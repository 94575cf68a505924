// The edges of a load point's window, which may move while it runs.
#ifndef CREST_AGENT_LOAD_POINT_WINDOW_H_
#define CREST_AGENT_LOAD_POINT_WINDOW_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "agent/load/recorder.h"
#include "base/clock.h"

namespace crest {

/// Shared by the generators of an agent, which look at it whenever an interval begins, and by whoever moves the edges.
/// Thread-safe.
class PointWindow {
 public:
  void Begin(const PointTimeline& timeline) {
    start_ns_ = timeline.start().ns;
    warmup_ns_ = timeline.warmup_ns();
    measure_ns_ = timeline.measure_ns();
  }

  /// Ends the warm-up `warmup_ns` after the start, a whole number of intervals; no earlier than every generator can
  /// heed it, and no later than it would have ended.
  void EndWarmup(int64_t warmup_ns, MonoTime now) {
    warmup_ns_ = std::min(warmup_ns_.load(), std::max(warmup_ns, EarliestEdge(now.ns - start_ns_)));
  }
  /// The same for the length of the window.
  void EndMeasure(int64_t measure_ns, MonoTime now) {
    measure_ns_ = std::min(measure_ns_.load(), std::max(measure_ns, EarliestEdge(now.ns - start_ns_ - warmup_ns_)));
  }

  int64_t warmup_ns() const { return warmup_ns_; }
  int64_t measure_ns() const { return measure_ns_; }

 private:
  // An interval that has begun keeps its kind, and one generator may be in it while another enters the next.
  static int64_t EarliestEdge(int64_t passed_ns) {
    const int64_t begun = std::max<int64_t>(passed_ns, 0) / PointTimeline::kIntervalNs;
    return (begun + 2) * PointTimeline::kIntervalNs;
  }

  std::atomic<int64_t> start_ns_{0};
  std::atomic<int64_t> warmup_ns_{0};
  std::atomic<int64_t> measure_ns_{0};
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_POINT_WINDOW_H_
