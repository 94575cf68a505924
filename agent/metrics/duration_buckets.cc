#include "agent/metrics/duration_buckets.h"

#include <algorithm>
#include <limits>

#include "results/histogram.h"

namespace crest {

void DurationBuckets::Add(const v1::Histogram& histogram) {
  const int buckets = std::min(histogram.index_delta_size(), histogram.count_size());
  int64_t index = 0;
  for (int i = 0; i < buckets; ++i) {
    index = std::min<int64_t>(index + histogram.index_delta(i), Histogram::kBucketCount - 1);
    const int bucket = static_cast<int>(index);
    const int64_t middle = (Histogram::BucketLow(bucket) + Histogram::BucketHigh(bucket) - 1) / 2;
    const auto bound = std::lower_bound(kBoundsNs.begin(), kBoundsNs.end(), middle);
    counts_[static_cast<size_t>(bound - kBoundsNs.begin())] += histogram.count(i);
  }
  sum_ns_ += histogram.sum_ns();
}

prometheus::ClientMetric DurationBuckets::ToMetric() const {
  prometheus::ClientMetric metric;
  uint64_t cumulative = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    cumulative += counts_[i];
    const double bound =
        i < kBoundsNs.size() ? static_cast<double>(kBoundsNs[i]) * 1e-9 : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({cumulative, bound});
  }
  metric.histogram.sample_count = cumulative;
  metric.histogram.sample_sum = sum_ns_ * 1e-9;
  return metric;
}

}  // namespace crest
