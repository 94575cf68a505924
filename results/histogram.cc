#include "results/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace crest {
namespace {

// Samples that must lie beyond a percentile for it to be shown.
constexpr uint64_t kSamplesBeyond = 10;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("malformed histogram: ", what));
}

// Adds up the counts, and notes the first and the last bucket that hold anything (−1: none do).
absl::Status CheckBuckets(const v1::Histogram& proto, uint64_t* total, int* first, int* last) {
  if (proto.count_size() != proto.index_delta_size()) {
    return Malformed(absl::StrCat(proto.index_delta_size(), " buckets with ", proto.count_size(), " counts"));
  }
  *total = 0;
  *first = -1;
  *last = -1;
  uint64_t bucket = 0;
  for (int i = 0; i < proto.count_size(); ++i) {
    if (i > 0 && proto.index_delta(i) == 0) return Malformed("a bucket occurs twice");
    bucket += proto.index_delta(i);
    if (bucket >= Histogram::kBucketCount) return Malformed("a bucket out of range");
    if (proto.count(i) == 0) continue;
    if (proto.count(i) > std::numeric_limits<uint64_t>::max() - *total) return Malformed("its total overflows");
    *total += proto.count(i);
    if (*first < 0) *first = static_cast<int>(bucket);
    *last = static_cast<int>(bucket);
  }
  return absl::OkStatus();
}

// Whether `sum` can be that of `total` values between `low` and `high`. Sums of doubles round.
bool IsSumOf(double sum, double total, double low, double high) {
  constexpr double kRounding = 1e-6;
  return sum >= total * low * (1 - kRounding) && sum <= total * high * (1 + kRounding);
}

// What Merge relies on. `total` is set to the sum of the counts.
absl::Status CheckProto(const v1::Histogram& proto, uint64_t* total) {
  int first = -1;
  int last = -1;
  if (absl::Status status = CheckBuckets(proto, total, &first, &last); !status.ok()) return status;
  if (*total == 0) return absl::OkStatus();
  if (proto.sub_bucket_bits() != Histogram::kSubBucketBits) {
    return Malformed(absl::StrCat(proto.sub_bucket_bits(), " bits of sub-buckets instead of ",
                                  static_cast<int>(Histogram::kSubBucketBits),
                                  "; use one version of crest everywhere"));
  }
  if (proto.min_ns() < 0 || Histogram::BucketOf(proto.min_ns()) != first ||
      Histogram::BucketOf(proto.max_ns()) != last) {
    return Malformed("its least and greatest values do not fit its buckets");
  }
  const double low = static_cast<double>(proto.min_ns());
  const double high = static_cast<double>(proto.max_ns());
  const double count = static_cast<double>(*total);
  if (!IsSumOf(proto.sum_ns(), count, low, high) ||
      !IsSumOf(proto.sum_of_squares_ns2(), count, low * low, high * high)) {
    return Malformed("its sums do not fit its values");
  }
  return absl::OkStatus();
}

// The rank from 1 of the sample below which `quantile` of `count` samples lie, itself included.
uint64_t NearestRank(double quantile, uint64_t count) {
  // 0.07 · 100 is a rounding above 7; the last digits of a double must not move the rank.
  const double wanted = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count) * (1 - 1e-15));
  return std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count);
}

}  // namespace

Histogram::Histogram() : buckets_(kBucketCount) {}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  sum_of_squares_ += other.sum_of_squares_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

absl::Status Histogram::Merge(const v1::Histogram& other) {
  uint64_t total = 0;
  if (absl::Status status = CheckProto(other, &total); !status.ok()) return status;
  if (total == 0) return absl::OkStatus();
  if (total > std::numeric_limits<uint64_t>::max() - count_) return Malformed("the total overflows");
  size_t bucket = 0;
  for (int i = 0; i < other.count_size(); ++i) {
    bucket += other.index_delta(i);
    buckets_[bucket] += other.count(i);
  }
  count_ += total;
  sum_ns_ += other.sum_ns();
  sum_of_squares_ += other.sum_of_squares_ns2();
  min_ns_ = std::min(min_ns_, other.min_ns());
  max_ns_ = std::max(max_ns_, other.max_ns());
  return absl::OkStatus();
}

void Histogram::Clear() {
  if (count_ == 0) return;
  std::fill(buckets_.begin() + BucketOf(min_ns_), buckets_.begin() + BucketOf(max_ns_) + 1, uint64_t{0});
  count_ = 0;
  sum_ns_ = 0;
  sum_of_squares_ = 0;
  min_ns_ = INT64_MAX;
  max_ns_ = 0;
}

v1::Histogram Histogram::ToProto() const {
  v1::Histogram proto;
  proto.set_sub_bucket_bits(kSubBucketBits);
  if (count_ == 0) return proto;
  int last = 0;
  for (int i = 0; i < kBucketCount; ++i) {
    const uint64_t count = buckets_[static_cast<size_t>(i)];
    if (count == 0) continue;
    proto.add_index_delta(static_cast<uint32_t>(i - last));
    proto.add_count(count);
    last = i;
  }
  proto.set_sum_ns(sum_ns_);
  proto.set_sum_of_squares_ns2(sum_of_squares_);
  proto.set_min_ns(min_ns_);
  proto.set_max_ns(max_ns_);
  return proto;
}

double Histogram::mean_ns() const { return count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_); }

double Histogram::standard_deviation_ns() const {
  if (count_ == 0) return 0;
  const double mean = mean_ns();
  // The difference of two nearly equal sums may come out a rounding below zero.
  return std::sqrt(std::max(0.0, sum_of_squares_ / static_cast<double>(count_) - mean * mean));
}

std::optional<double> Histogram::QuantileNs(double quantile) const {
  if (count_ == 0 || count_ - NearestRank(quantile, count_) < kSamplesBeyond) return std::nullopt;
  return RawQuantileNs(quantile);
}

double Histogram::RawQuantileNs(double quantile) const {
  if (count_ == 0) return 0;
  const uint64_t rank = NearestRank(quantile, count_);
  int bucket = BucketOf(min_ns_);
  uint64_t seen = buckets_[static_cast<size_t>(bucket)];
  while (seen < rank) seen += buckets_[static_cast<size_t>(++bucket)];
  // Values above kMaxValue have no bucket of their own: all that is known of them is that none is above the greatest.
  if (bucket == kBucketCount - 1 && max_ns_ > kMaxValue) return static_cast<double>(max_ns_);
  const double middle = static_cast<double>(BucketLow(bucket) + BucketHigh(bucket) - 1) / 2;
  return std::clamp(middle, static_cast<double>(min_ns_), static_cast<double>(max_ns_));
}

}  // namespace crest
