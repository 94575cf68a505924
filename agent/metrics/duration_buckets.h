// A histogram with the classic buckets of Prometheus, filled from crest's own.
#ifndef CREST_AGENT_METRICS_DURATION_BUCKETS_H_
#define CREST_AGENT_METRICS_DURATION_BUCKETS_H_

#include <array>
#include <cstdint>

#include "crest/v1/histogram.pb.h"
#include "prometheus/client_metric.h"

namespace crest {

/// Bounds in steps of 1, 2, 5 from 50 µs to 10 s. A bucket of crest's goes where its middle lies, so that a sample
/// within 0.4 % of a bound may be counted on its other side. A value; not thread-safe.
class DurationBuckets {
 public:
  static constexpr std::array<int64_t, 17> kBoundsNs = {
      50'000,      100'000,       200'000,       500'000,       1'000'000,     2'000'000,
      5'000'000,   10'000'000,    20'000'000,    50'000'000,    100'000'000,   200'000'000,
      500'000'000, 1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000};

  void Add(const v1::Histogram& histogram);
  prometheus::ClientMetric ToMetric() const;

 private:
  std::array<uint64_t, kBoundsNs.size() + 1> counts_{};  // the last: above all bounds
  double sum_ns_ = 0;
};

}  // namespace crest

#endif  // CREST_AGENT_METRICS_DURATION_BUCKETS_H_
