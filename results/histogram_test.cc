#include "results/histogram.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace crest {
namespace {

using ::google::protobuf::util::MessageDifferencer;

constexpr int64_t kTenMinutes = 600'000'000'000;

Histogram Of(const std::vector<int64_t>& values) {
  Histogram histogram;
  for (const int64_t value : values) histogram.Record(value);
  return histogram;
}

// Log-normal-like times with outliers up to minutes: what servers give.
std::vector<int64_t> Times(uint64_t key, int count) {
  Random random(key);
  std::vector<int64_t> times(static_cast<size_t>(count));
  for (int64_t& t : times) {
    t = static_cast<int64_t>(200'000 * std::exp(2 * (random.NextUnit() + random.NextUnit() + random.NextUnit() - 1.5)));
    if (random.Below(1000) == 0) t = static_cast<int64_t>(random.Below(kTenMinutes));
  }
  return times;
}

TEST(HistogramTest, BucketsAreContiguousAndHoldTheirEdges) {
  EXPECT_EQ(Histogram::BucketLow(0), 0);
  for (int bucket = 0; bucket < Histogram::kBucketCount; ++bucket) {
    const int64_t low = Histogram::BucketLow(bucket);
    const int64_t high = Histogram::BucketHigh(bucket);
    ASSERT_LT(low, high) << bucket;
    ASSERT_EQ(Histogram::BucketOf(low), bucket);
    ASSERT_EQ(Histogram::BucketOf(high - 1), bucket);
    ASSERT_EQ(low, bucket == 0 ? 0 : Histogram::BucketHigh(bucket - 1));
  }
  EXPECT_EQ(Histogram::BucketHigh(Histogram::kBucketCount - 1), Histogram::kMaxValue + 1);
  EXPECT_GT(Histogram::kMaxValue, kTenMinutes);
}

TEST(HistogramTest, ErrorIsAtMostOne256thOfTheValueInEveryBucket) {
  for (int bucket = 0; bucket < Histogram::kBucketCount; ++bucket) {
    for (const int64_t value : {Histogram::BucketLow(bucket), Histogram::BucketHigh(bucket) - 1}) {
      // A value among others at both ends, so that least and greatest do not bound what is reported.
      const Histogram histogram = Of({0, value, Histogram::kMaxValue});
      const double reported = histogram.RawQuantileNs(0.5);
      ASSERT_LE(std::fabs(reported - static_cast<double>(value)), static_cast<double>(value) / 256) << value;
    }
  }
}

TEST(HistogramTest, CountsSumsAndExtremesAreExact) {
  const Histogram histogram = Of({5, -3, 100'000, kTenMinutes, kTenMinutes * 10});
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_EQ(histogram.sum_ns(), 5.0 + 0 + 100'000 + 11.0 * kTenMinutes);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), kTenMinutes * 10);
  EXPECT_EQ(histogram.mean_ns(), histogram.sum_ns() / 5);
}

TEST(HistogramTest, StandardDeviation) {
  EXPECT_DOUBLE_EQ(Of({2, 4, 4, 4, 5, 5, 7, 9}).standard_deviation_ns(), 2);
  EXPECT_EQ(Of({1'000'000'007, 1'000'000'007, 1'000'000'007}).standard_deviation_ns(), 0);
}

TEST(HistogramTest, EmptyIsZeros) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.mean_ns(), 0);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.standard_deviation_ns(), 0);
  EXPECT_EQ(histogram.RawQuantileNs(0.5), 0);
  EXPECT_FALSE(histogram.QuantileNs(0.5).has_value());
}

TEST(HistogramTest, QuantilesAreThoseOfTheSortedSamples) {
  for (const int count : {1, 2, 7, 100, 1000, 9999, 50'000}) {
    std::vector<int64_t> values = Times(static_cast<uint64_t>(count), count);
    const Histogram histogram = Of(values);
    std::sort(values.begin(), values.end());
    for (const double quantile : {0.0, 0.001, 0.07, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      const double wanted = std::ceil(quantile * count - 1e-9);
      const size_t rank = static_cast<size_t>(std::clamp(wanted, 1.0, static_cast<double>(count)));
      const double exact = static_cast<double>(values[rank - 1]);
      EXPECT_NEAR(histogram.RawQuantileNs(quantile), exact, exact / 256) << quantile << " of " << count;
    }
  }
}

TEST(HistogramTest, QuantilesNeverPassTheExtremes) {
  for (const int64_t value : {int64_t{1}, int64_t{257}, int64_t{1'000'003}, kTenMinutes, Histogram::kMaxValue,
                              Histogram::kMaxValue + 1, kTenMinutes * 100}) {
    const Histogram histogram = Of(std::vector<int64_t>(100, value));
    EXPECT_EQ(histogram.RawQuantileNs(0.5), static_cast<double>(value));
    EXPECT_EQ(histogram.RawQuantileNs(1), static_cast<double>(value));
  }
  const Histogram beyond = Of({1, kTenMinutes * 50, kTenMinutes * 100});
  EXPECT_EQ(beyond.RawQuantileNs(0.6), kTenMinutes * 100.0);
}

TEST(HistogramTest, AQuantileNeedsTenSamplesBeyond) {
  EXPECT_FALSE(Of(Times(1, 19)).QuantileNs(0.5).has_value());
  EXPECT_TRUE(Of(Times(1, 20)).QuantileNs(0.5).has_value());
  EXPECT_FALSE(Of(Times(1, 999)).QuantileNs(0.99).has_value());
  EXPECT_TRUE(Of(Times(1, 1000)).QuantileNs(0.99).has_value());
  EXPECT_FALSE(Of(Times(1, 9999)).QuantileNs(0.999).has_value());
  EXPECT_TRUE(Of(Times(1, 10'000)).QuantileNs(0.999).has_value());
  EXPECT_FALSE(Of(Times(1, 10'000)).QuantileNs(1).has_value());
}

TEST(HistogramTest, MergingPartsEqualsRecordingTheWhole) {
  std::vector<int64_t> values = Times(3, 20'000);
  values.push_back(kTenMinutes * 3);
  const Histogram whole = Of(values);
  Histogram merged;
  Histogram merged_protos;
  for (size_t part = 0; part < 7; ++part) {
    Histogram histogram;
    for (size_t i = part; i < values.size(); i += 7) histogram.Record(values[i]);
    merged.Merge(histogram);
    ASSERT_TRUE(merged_protos.Merge(histogram.ToProto()).ok());
  }
  for (const Histogram* parts : {&merged, &merged_protos}) {
    EXPECT_EQ(parts->count(), whole.count());
    EXPECT_EQ(parts->sum_ns(), whole.sum_ns());  // whole nanoseconds below 2^53: exact in any order
    EXPECT_EQ(parts->min_ns(), whole.min_ns());
    EXPECT_EQ(parts->max_ns(), whole.max_ns());
    EXPECT_NEAR(parts->standard_deviation_ns(), whole.standard_deviation_ns(), whole.standard_deviation_ns() * 1e-9);
    for (int i = 0; i < Histogram::kBucketCount; ++i) ASSERT_EQ(parts->bucket_count(i), whole.bucket_count(i));
  }
  EXPECT_TRUE(MessageDifferencer::Equals(merged.ToProto(), merged_protos.ToProto()));
}

TEST(HistogramTest, MergingNothingChangesNothing) {
  Histogram histogram = Of({5, 6});
  const v1::Histogram before = histogram.ToProto();
  histogram.Merge(Histogram());
  ASSERT_TRUE(histogram.Merge(v1::Histogram()).ok());
  ASSERT_TRUE(histogram.Merge(Histogram().ToProto()).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(histogram.ToProto(), before));
}

TEST(HistogramTest, ClearedIsAsNew) {
  Histogram histogram = Of(Times(4, 1000));
  histogram.Record(kTenMinutes * 10);
  histogram.Clear();
  EXPECT_TRUE(MessageDifferencer::Equals(histogram.ToProto(), Histogram().ToProto()));
  for (int i = 0; i < Histogram::kBucketCount; ++i) ASSERT_EQ(histogram.bucket_count(i), 0u);
  histogram.Record(7);
  EXPECT_EQ(histogram.min_ns(), 7);
  EXPECT_EQ(histogram.max_ns(), 7);
}

class MalformedHistogramTest : public ::testing::Test {
 protected:
  // Refused, and nothing of it is added.
  static void ExpectRefused(const v1::Histogram& proto) {
    Histogram histogram = Of({10, 2'000'000});
    const v1::Histogram before = histogram.ToProto();
    const absl::Status status = histogram.Merge(proto);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << proto.ShortDebugString();
    EXPECT_TRUE(MessageDifferencer::Equals(histogram.ToProto(), before));
  }
  v1::Histogram proto_ = Of({1, 1000, 1000, 50'000}).ToProto();
};

TEST_F(MalformedHistogramTest, AnotherLayout) {
  proto_.set_sub_bucket_bits(8);
  ExpectRefused(proto_);
}
TEST_F(MalformedHistogramTest, SizesThatDiffer) {
  proto_.add_count(1);
  ExpectRefused(proto_);
}
TEST_F(MalformedHistogramTest, ABucketTwice) {
  proto_.set_index_delta(1, 0);
  ExpectRefused(proto_);
}
TEST_F(MalformedHistogramTest, ABucketOutOfRange) {
  proto_.set_index_delta(2, Histogram::kBucketCount);
  ExpectRefused(proto_);
  proto_.set_index_delta(2, UINT32_MAX);  // a 32-bit sum would wrap to a descending index
  ExpectRefused(proto_);
}
TEST_F(MalformedHistogramTest, ATotalThatOverflows) {
  proto_.set_count(0, UINT64_MAX);
  ExpectRefused(proto_);
  v1::Histogram one = Of({1}).ToProto();
  one.set_count(0, UINT64_MAX);  // overflows with what is there already
  one.set_sum_ns(static_cast<double>(UINT64_MAX));
  one.set_sum_of_squares_ns2(static_cast<double>(UINT64_MAX));
  ExpectRefused(one);
}
TEST_F(MalformedHistogramTest, ExtremesThatDoNotFit) {
  v1::Histogram proto = proto_;
  proto.set_min_ns(-1);
  ExpectRefused(proto);
  proto = proto_;
  proto.set_max_ns(49'000);
  ExpectRefused(proto);
  proto = proto_;
  proto.set_min_ns(2);
  ExpectRefused(proto);
}
TEST_F(MalformedHistogramTest, SumsThatDoNotFit) {
  for (const double sum : {-1.0, 0.0, 1e18, std::nan(""), HUGE_VAL}) {
    v1::Histogram proto = proto_;
    proto.set_sum_ns(sum);
    ExpectRefused(proto);
    proto = proto_;
    proto.set_sum_of_squares_ns2(sum);
    ExpectRefused(proto);
  }
}

// Bytes at random and valid bytes with some changed: whatever is accepted keeps its promises.
TEST(HistogramFuzzTest, RandomBytes) {
  Random random(11);
  const std::string valid = Of(Times(5, 200)).ToProto().SerializeAsString();
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = valid;
    if (round % 2 == 0) {
      bytes.resize(random.Below(64));
      for (char& c : bytes) c = static_cast<char>(random.Below(256));
    } else {
      for (uint64_t i = 0; i <= random.Below(3); ++i)
        bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    v1::Histogram proto;
    if (!proto.ParseFromString(bytes)) continue;
    Histogram histogram;
    if (!histogram.Merge(proto).ok()) {
      ASSERT_EQ(histogram.count(), 0u);
      continue;
    }
    accepted += histogram.count() > 0;
    for (const double quantile : {0.0, 0.5, 0.99, 1.0}) {
      ASSERT_LE(histogram.RawQuantileNs(quantile), static_cast<double>(histogram.max_ns()));
      ASSERT_GE(histogram.RawQuantileNs(quantile), static_cast<double>(histogram.min_ns()));
    }
    ASSERT_LE(histogram.mean_ns(), static_cast<double>(histogram.max_ns()) * (1 + 1e-6));
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace crest
