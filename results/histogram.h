// A histogram of nanoseconds: exact to merge, bounded in error, quick to record into.
#ifndef CREST_RESULTS_HISTOGRAM_H_
#define CREST_RESULTS_HISTOGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "crest/v1/histogram.pb.h"

namespace crest {

/// Log-linear buckets: 128 an octave, from 1 ns to 10 min and beyond (values above kMaxValue go to the last bucket;
/// count, sum and max stay exact). Values below 256 ns have a bucket each. A bucket is reported at its middle, so the
/// error is at most half a bucket: 1/256 of the value, ≤ 0.4 %.
///
/// Record() touches one bucket and a few scalars: no allocation and no lock. The memory (35 KiB) is allocated once. Not
/// thread-safe.
class Histogram {
 public:
  static constexpr int kSubBucketBits = 7;
  static constexpr int64_t kMaxValue = (int64_t{1} << 40) - 1;  // 18 min in ns
  static constexpr int kBucketCount = (40 - kSubBucketBits) * (1 << kSubBucketBits) + (1 << kSubBucketBits);

  Histogram();

  static constexpr int BucketOf(int64_t value_ns) {
    if (value_ns < 0) value_ns = 0;
    if (value_ns > kMaxValue) value_ns = kMaxValue;
    if (value_ns < (1 << (kSubBucketBits + 1))) return static_cast<int>(value_ns);
    const int shift = 63 - kSubBucketBits - __builtin_clzll(static_cast<uint64_t>(value_ns));
    return (shift << kSubBucketBits) + static_cast<int>(value_ns >> shift);
  }
  static constexpr int64_t BucketLow(int bucket) {
    if (bucket < (1 << (kSubBucketBits + 1))) return bucket;
    const int shift = (bucket >> kSubBucketBits) - 1;
    return static_cast<int64_t>(bucket - (shift << kSubBucketBits)) << shift;
  }
  /// One past the largest value of the bucket.
  static constexpr int64_t BucketHigh(int bucket) { return BucketLow(bucket + 1); }

  /// Negative values count as 0.
  void Record(int64_t value_ns) {
    if (value_ns < 0) value_ns = 0;
    ++buckets_[static_cast<size_t>(BucketOf(value_ns))];
    ++count_;
    const auto value = static_cast<double>(value_ns);
    sum_ns_ += value;
    sum_of_squares_ += value * value;
    if (value_ns < min_ns_) min_ns_ = value_ns;
    if (value_ns > max_ns_) max_ns_ = value_ns;
  }

  void Merge(const Histogram& other);
  /// Adds what a proto holds. Another layout, descending or out-of-range indices, sizes that differ or a total that
  /// overflows: InvalidArgument, and nothing is added.
  absl::Status Merge(const v1::Histogram& other);
  void Clear();

  v1::Histogram ToProto() const;

  uint64_t count() const { return count_; }
  double sum_ns() const { return sum_ns_; }
  int64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
  int64_t max_ns() const { return max_ns_; }
  /// 0 when empty.
  double mean_ns() const;
  double standard_deviation_ns() const;

  /// The value below which `quantile` of the samples lie (nearest rank), never above max_ns() or below min_ns().
  /// nullopt unless at least ten samples lie beyond it: a percentile from fewer says nothing.
  std::optional<double> QuantileNs(double quantile) const;
  /// The same without the ten-sample rule; 0 when empty. For judging, never for showing.
  double RawQuantileNs(double quantile) const;

  uint64_t bucket_count(int bucket) const { return buckets_[static_cast<size_t>(bucket)]; }

 private:
  std::vector<uint64_t> buckets_;
  uint64_t count_ = 0;
  double sum_ns_ = 0;
  double sum_of_squares_ = 0;
  int64_t min_ns_ = INT64_MAX;
  int64_t max_ns_ = 0;
};

}  // namespace crest

#endif  // CREST_RESULTS_HISTOGRAM_H_
