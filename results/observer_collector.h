// Gathers what one observer says of its host during one load point.
#ifndef CREST_RESULTS_OBSERVER_COLLECTOR_H_
#define CREST_RESULTS_OBSERVER_COLLECTOR_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "crest/v1/agent.pb.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// Not thread-safe.
class ObserverCollector {
 public:
  ObserverCollector(uint32_t point, std::string address) : point_(point), address_(std::move(address)) {}

  /// One that was added before is ignored, and so is the warm-up. InvalidArgument for a report that is malformed or of
  /// another point: nothing is added.
  absl::Status Add(const v1::IntervalReport& report);
  /// It was not there to the end; its data stays.
  void SetLost() { lost_ = true; }

  /// Mean and maximum of every figure over the window, which was `window_ns` long; arc_hit_ratio and arc_size_bytes
  /// only where there is ZFS. Ratios of the whole are ratios of sums, not means of ratios. An observer that missed a
  /// part of the window counts as lost; one that saw none of it has no figures.
  v1::ObserverData Finish(int64_t window_ns) const;

 private:
  struct Series {
    double sum = 0;  // weighted by seconds
    double max = 0;
    void Add(double value, double seconds);
  };
  static constexpr int kFigureCount = 8;

  uint32_t point_;
  std::string address_;
  bool lost_ = false;
  std::set<int64_t> seen_;  // starts
  int64_t measured_ns_ = 0;
  Series figures_[kFigureCount];
  double arc_hits_ = 0;
  double arc_misses_ = 0;
  double arc_best_ratio_ = 0;  // of a second
  double arc_seconds_ = 0;
  Series arc_size_;
};

}  // namespace crest

#endif  // CREST_RESULTS_OBSERVER_COLLECTOR_H_
