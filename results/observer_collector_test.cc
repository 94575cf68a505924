#include "results/observer_collector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "results/observed.h"

namespace crest {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

v1::IntervalReport Second(int second, bool measured = true) {
  v1::IntervalReport report;
  report.set_point(1);
  report.set_measured(measured);
  report.set_start_ns(second * kSecondNs);
  report.set_length_ns(kSecondNs);
  report.mutable_host_load()->set_cpu_busy_ratio(0.1 * second);
  return report;
}

// The figure of that name; nullptr: none.
const v1::ObservedFigure* Find(const v1::ObserverData& data, const std::string& name) {
  for (const v1::ObservedFigure& figure : data.figures()) {
    if (figure.name() == name) return &figure;
  }
  return nullptr;
}

TEST(ObserverCollectorTest, MeanAndMaxAreTheWindows) {
  ObserverCollector collector(1, "filer:7460");
  ASSERT_TRUE(collector.Add(Second(9, false)).ok());
  for (const int second : {1, 2, 3, 3}) ASSERT_TRUE(collector.Add(Second(second)).ok());
  const v1::ObserverData data = collector.Finish(3 * kSecondNs);
  EXPECT_EQ(data.address(), "filer:7460");
  EXPECT_FALSE(data.lost());
  ASSERT_NE(Find(data, "cpu_busy_ratio"), nullptr);
  EXPECT_DOUBLE_EQ(Find(data, "cpu_busy_ratio")->mean(), 0.2);
  EXPECT_DOUBLE_EQ(Find(data, "cpu_busy_ratio")->max(), 0.3);
  EXPECT_NE(Find(data, "disk_write_bytes_per_sec"), nullptr);
  EXPECT_EQ(Find(data, "arc_size_bytes"), nullptr);
}

TEST(ObserverCollectorTest, AShortLastSecondWeighsLess) {
  ObserverCollector collector(1, "filer");
  v1::IntervalReport half = Second(4);
  half.set_length_ns(kSecondNs / 2);
  ASSERT_TRUE(collector.Add(Second(1)).ok());
  ASSERT_TRUE(collector.Add(half).ok());
  EXPECT_DOUBLE_EQ(Find(collector.Finish(3 * kSecondNs / 2), "cpu_busy_ratio")->mean(), 0.2);
}

TEST(ObserverCollectorTest, TheHitRatioIsOfTheSums) {
  ObserverCollector collector(1, "filer");
  for (const auto& [second, hits, misses] : {std::tuple(1, 90, 10), std::tuple(2, 0, 100), std::tuple(3, 0, 0)}) {
    v1::IntervalReport report = Second(second);
    report.mutable_host_load()->set_arc_hits(hits);
    report.mutable_host_load()->set_arc_misses(misses);
    report.mutable_host_load()->set_arc_size_bytes(1000 * second);
    ASSERT_TRUE(collector.Add(report).ok());
  }
  const v1::ObserverData data = collector.Finish(3 * kSecondNs);
  EXPECT_DOUBLE_EQ(Find(data, "arc_hit_ratio")->mean(), 0.45);
  EXPECT_DOUBLE_EQ(Find(data, "arc_hit_ratio")->max(), 0.9);
  EXPECT_DOUBLE_EQ(Find(data, "arc_size_bytes")->mean(), 2000);
  EXPECT_DOUBLE_EQ(Find(data, "arc_size_bytes")->max(), 3000);
}

TEST(ObserverCollectorTest, OneThatMissedAPartIsLost) {
  ObserverCollector collector(1, "filer");
  EXPECT_TRUE(collector.Finish(10 * kSecondNs).lost());
  EXPECT_TRUE(collector.Finish(10 * kSecondNs).figures().empty());
  for (int second = 0; second < 8; ++second) ASSERT_TRUE(collector.Add(Second(second)).ok());
  EXPECT_FALSE(collector.Finish(10 * kSecondNs).lost());
  EXPECT_TRUE(collector.Finish(11 * kSecondNs).lost());
  collector.SetLost();
  EXPECT_TRUE(collector.Finish(8 * kSecondNs).lost());
  EXPECT_FALSE(collector.Finish(8 * kSecondNs).figures().empty());
}

TEST(ObserverCollectorTest, MalformedReportsAreRefusedWhole) {
  ObserverCollector collector(1, "filer");
  v1::IntervalReport report = Second(1);
  report.set_point(2);
  EXPECT_EQ(collector.Add(report).code(), absl::StatusCode::kInvalidArgument);
  report = Second(1);
  report.set_length_ns(0);
  EXPECT_FALSE(collector.Add(report).ok());
  report = Second(1);
  report.mutable_host_load()->set_disk_busy_ratio(std::nan(""));
  EXPECT_FALSE(collector.Add(report).ok());
  report = Second(1);
  report.mutable_host_load()->set_arc_hits(-1);
  EXPECT_FALSE(collector.Add(report).ok());
  EXPECT_TRUE(collector.Finish(kSecondNs).figures().empty());
}

}  // namespace
}  // namespace crest
