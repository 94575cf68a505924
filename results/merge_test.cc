#include "results/merge.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "results/histogram.h"

namespace crest {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint32_t kPoint = 3;

v1::Histogram Times(uint64_t key, int count) {
  Random random(key);
  Histogram histogram;
  for (int i = 0; i < count; ++i) histogram.Record(static_cast<int64_t>(random.NextExponential() * 2e6));
  return histogram.ToProto();
}

// A second of one agent: `reads` READs and as many GETATTRs, one error.
v1::IntervalReport Report(int second, bool measured, int reads, uint64_t key) {
  v1::IntervalReport report;
  report.set_point(kPoint);
  report.set_measured(measured);
  report.set_start_ns(second * kSecond);
  report.set_length_ns(kSecond);
  for (const v1::OperationKind kind : {v1::OPERATION_READ, v1::OPERATION_GETATTR}) {
    v1::OperationCounts* counts = report.add_operations();
    counts->set_operation(kind);
    counts->set_count(reads);
    counts->set_call_count(reads + 1);
    counts->set_sent_count(reads + 2);
    counts->set_bytes(kind == v1::OPERATION_READ ? reads * 4096 : 0);
    v1::OperationHistograms* histograms = report.add_histograms();
    histograms->set_operation(kind);
    *histograms->mutable_response() = Times(key * 10 + kind, reads);
    *histograms->mutable_service() = Times(key * 10 + kind + 1, reads);
  }
  v1::ErrorCount* error = report.mutable_operations(0)->add_errors();
  error->set_name("NFS3ERR_STALE");
  error->set_count(1);
  *report.mutable_response() = Times(key, 2 * reads);
  *report.mutable_service() = Times(key + 1, 2 * reads);
  *report.mutable_schedule_lag() = Times(key + 2, 2 * reads);
  report.mutable_host_load()->set_cpu_busy_ratio(0.5);
  report.mutable_host_load()->set_agent_cpu_seconds(0.25);
  report.mutable_host_load()->set_rx_bytes_per_sec(1000);
  return report;
}

v1::PointDone Done() {
  v1::PointDone done;
  done.set_point(kPoint);
  done.set_unfinished_count(2);
  *done.mutable_unfinished_age() = Times(99, 2);
  done.set_distinct_files(10);
  done.set_distinct_bytes(4000);
  v1::ProcedureCalls* calls = done.add_procedures();
  calls->set_procedure("READ");
  calls->set_call_count(7);
  calls->set_extra_call_count(1);
  return done;
}

v1::PointData Finish(const PointMerger& merger) {
  return merger.Finish("2026-01-02T03:04:05Z", absl::Seconds(2), false);
}

uint64_t CountOf(const v1::Histogram& histogram) {
  uint64_t count = 0;
  for (const uint64_t n : histogram.count()) count += n;
  return count;
}

struct Sent {
  uint32_t agent;
  v1::IntervalReport report;
};

// Two seconds of warm-up and three of measurement on two agents.
std::vector<Sent> WholePoint() {
  std::vector<Sent> sent;
  for (int second = 0; second < 5; ++second) {
    for (uint32_t agent = 0; agent < 2; ++agent) {
      sent.push_back({agent, Report(second, second >= 2, 100 + second, static_cast<uint64_t>(second) * 2 + agent)});
    }
  }
  return sent;
}

v1::PointData Merge(const std::vector<Sent>& all) {
  PointMerger merger(kPoint, 500, {"a:7460", "b:7460"});
  for (const Sent& sent : all) EXPECT_TRUE(merger.Add(sent.agent, sent.report).ok());
  EXPECT_TRUE(merger.Add(0, Done()).ok());
  EXPECT_TRUE(merger.Add(1, Done()).ok());
  return Finish(merger);
}

TEST(PointMergerTest, AddsUpTheMeasuredWindow) {
  const v1::PointData point = Merge(WholePoint());
  EXPECT_EQ(point.index(), kPoint);
  EXPECT_EQ(point.requested_ops_per_sec(), 500);
  EXPECT_EQ(point.started_at(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(point.warmup_ns(), 2 * kSecond);
  EXPECT_EQ(point.measured_ns(), 3 * kSecond);
  EXPECT_FALSE(point.stopped());
  const int64_t reads = 2 * (102 + 103 + 104);
  ASSERT_EQ(point.operations_size(), 2);
  for (const v1::OperationData& operation : point.operations()) {
    const bool read = operation.counts().operation() == v1::OPERATION_READ;
    EXPECT_EQ(operation.counts().count(), reads);
    EXPECT_EQ(operation.counts().call_count(), reads + 6);
    EXPECT_EQ(operation.counts().sent_count(), reads + 12);
    EXPECT_EQ(operation.counts().bytes(), read ? reads * 4096 : 0);
    EXPECT_EQ(CountOf(operation.histograms().response()), static_cast<uint64_t>(reads));
    ASSERT_EQ(operation.counts().errors_size(), read ? 1 : 0);
    if (read) {
      EXPECT_EQ(operation.counts().errors(0).name(), "NFS3ERR_STALE");
      EXPECT_EQ(operation.counts().errors(0).count(), 6);
    }
  }
  EXPECT_EQ(point.unfinished_count(), 4);
  EXPECT_EQ(CountOf(point.unfinished_age()), 4u);
  EXPECT_EQ(point.file_set().distinct_files(), 20);
  ASSERT_EQ(point.procedures_size(), 1);
  EXPECT_EQ(point.procedures(0).call_count(), 14);
  EXPECT_EQ(point.procedures(0).extra_call_count(), 2);
}

TEST(PointMergerTest, HistogramsEqualTheSumOfTheParts) {
  Histogram response;
  for (const Sent& sent : WholePoint()) {
    if (!sent.report.measured()) continue;
    ASSERT_TRUE(response.Merge(sent.report.response()).ok());
  }
  EXPECT_TRUE(MessageDifferencer::Equals(Merge(WholePoint()).response(), response.ToProto()));
}

TEST(PointMergerTest, OrderAndDuplicatesDoNotMatter) {
  std::vector<Sent> shuffled = WholePoint();
  Random random(1);
  for (size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.Below(i)]);
  shuffled.push_back(shuffled[0]);
  shuffled.push_back(shuffled[5]);
  v1::PointData expected = Merge(WholePoint());
  v1::PointData point = Merge(shuffled);
  // Which agent's start an interval shows may depend on who came first, and here they are all equal.
  MessageDifferencer differencer;
  differencer.set_float_comparison(MessageDifferencer::APPROXIMATE);  // sums of squares round by order
  EXPECT_TRUE(differencer.Compare(point, expected));
}

TEST(PointMergerTest, IntervalsHoldWarmUpAndWindow) {
  const v1::PointData point = Merge(WholePoint());
  ASSERT_EQ(point.intervals_size(), 5);
  for (int second = 0; second < 5; ++second) {
    const v1::IntervalData& interval = point.intervals(second);
    EXPECT_EQ(interval.start_ns(), second * kSecond);
    EXPECT_EQ(interval.length_ns(), kSecond);
    EXPECT_EQ(interval.measured(), second >= 2);
    EXPECT_EQ(interval.count(), 4 * (100 + second));
    EXPECT_EQ(interval.error_count(), 2);
    EXPECT_EQ(interval.agents_reporting(), 2u);
    EXPECT_EQ(CountOf(interval.response()), static_cast<uint64_t>(interval.count()));
  }
}

TEST(PointMergerTest, AgentsKeepScalars) {
  PointMerger merger(kPoint, 500, {"a:7460", "b:7460"});
  for (const Sent& sent : WholePoint()) ASSERT_TRUE(merger.Add(sent.agent, sent.report).ok());
  merger.SetClockBound(1, absl::Microseconds(30));
  merger.SetRequested(1, 260);
  const v1::PointData point = Finish(merger);
  ASSERT_EQ(point.agents_size(), 2);
  EXPECT_EQ(point.agents(0).address(), "a:7460");
  EXPECT_EQ(point.agents(0).requested_ops_per_sec(), 250);
  EXPECT_EQ(point.agents(1).requested_ops_per_sec(), 260);
  EXPECT_EQ(point.agents(1).count(), 2 * (102 + 103 + 104));
  EXPECT_EQ(point.agents(1).error_count(), 3);
  EXPECT_EQ(point.agents(1).clock_bound_ns(), 30'000);
  EXPECT_DOUBLE_EQ(point.agents(1).cpu_busy_ratio(), 0.5);
  EXPECT_DOUBLE_EQ(point.agents(1).agent_cpu_seconds(), 0.75);
  EXPECT_DOUBLE_EQ(point.agents(1).rx_bytes_per_sec(), 1000);
  EXPECT_GT(point.agents(1).schedule_lag_p99_ns(), 0);
  EXPECT_NEAR(point.agents(1).mean_response_ns(), 2e6, 4e5);
  EXPECT_FALSE(point.agents(0).lost() || point.agents(1).lost());
}

TEST(PointMergerTest, ALostAgentKeepsItsDataAndIsMarked) {
  PointMerger merger(kPoint, 500, {"a:7460", "b:7460"});
  for (const Sent& sent : WholePoint()) {
    if (sent.agent == 0 || sent.report.start_ns() <= 3 * kSecond) {
      ASSERT_TRUE(merger.Add(sent.agent, sent.report).ok());
    }
  }
  EXPECT_EQ(merger.latest()->start_seconds, 3);
  merger.SetLost(1);
  EXPECT_EQ(merger.latest()->start_seconds, 4);  // the lost one is no longer waited for
  EXPECT_EQ(merger.latest()->agents_reporting, 1u);
  const v1::PointData point = Finish(merger);
  EXPECT_FALSE(point.agents(0).lost());
  EXPECT_TRUE(point.agents(1).lost());
  EXPECT_EQ(point.measured_ns(), 3 * kSecond);
  EXPECT_EQ(point.agents(1).count(), 2 * (102 + 103));
}

TEST(PointMergerTest, AnAgentWhoseReportsAreMissingCountsAsLost) {
  PointMerger merger(kPoint, 500, {"a:7460", "b:7460"});
  for (const Sent& sent : WholePoint()) {
    if (sent.agent != 0) continue;
    ASSERT_TRUE(merger.Add(0, sent.report).ok());
  }
  EXPECT_EQ(merger.latest(), nullptr);
  EXPECT_TRUE(Finish(merger).agents(1).lost());
}

TEST(PointMergerTest, AnEarlyStopShortensTheWindow) {
  PointMerger merger(kPoint, 500, {"a:7460"});
  ASSERT_TRUE(merger.Add(0, Report(0, true, 100, 1)).ok());
  v1::IntervalReport last = Report(1, true, 50, 2);
  last.set_length_ns(kSecond / 2);
  ASSERT_TRUE(merger.Add(0, last).ok());
  v1::PointDone done = Done();
  done.set_stopped(true);
  ASSERT_TRUE(merger.Add(0, done).ok());
  const v1::PointData point = Finish(merger);
  EXPECT_TRUE(point.stopped());
  EXPECT_EQ(point.measured_ns(), kSecond * 3 / 2);
  EXPECT_FALSE(point.agents(0).lost());
  EXPECT_TRUE(merger.Finish("", absl::ZeroDuration(), true).stopped());
}

TEST(PointMergerTest, NothingReportedIsAnEmptyPoint) {
  const PointMerger merger(kPoint, 500, {"a:7460"});
  const v1::PointData point = Finish(merger);
  EXPECT_EQ(point.measured_ns(), 0);
  EXPECT_EQ(point.operations_size(), 0);
  EXPECT_EQ(merger.latest(), nullptr);
}

TEST(PointMergerTest, LatestIsTheNewestThatAllHaveReported) {
  PointMerger merger(kPoint, 500, {"a:7460", "b:7460"});
  ASSERT_TRUE(merger.Add(0, Report(0, false, 100, 1)).ok());
  EXPECT_EQ(merger.latest(), nullptr);
  v1::IntervalReport other = Report(0, false, 200, 2);
  other.set_start_ns(1'000'000);  // agents need not cut to the nanosecond
  ASSERT_TRUE(merger.Add(1, other).ok());
  ASSERT_NE(merger.latest(), nullptr);
  EXPECT_EQ(merger.latest()->ops_per_sec, 600);
  EXPECT_FALSE(merger.latest()->measured);
  EXPECT_EQ(merger.latest()->error_count, 2);
  EXPECT_NEAR(merger.latest()->mean_response_ms, 2, 0.5);
  ASSERT_TRUE(merger.Add(0, Report(1, true, 100, 3)).ok());
  EXPECT_EQ(merger.latest()->start_seconds, 0);
  ASSERT_TRUE(merger.Add(1, Report(1, true, 100, 4)).ok());
  EXPECT_EQ(merger.latest()->start_seconds, 1);
  EXPECT_TRUE(merger.latest()->measured);
}

TEST(PointMergerTest, MalformedReportsAddNothing) {
  PointMerger merger(kPoint, 500, {"a:7460"});
  ASSERT_TRUE(merger.Add(0, Report(0, true, 100, 1)).ok());
  const v1::PointData before = Finish(merger);
  std::vector<v1::IntervalReport> bad(9, Report(1, true, 100, 2));
  bad[0].set_point(kPoint + 1);
  bad[1].set_length_ns(0);
  bad[2].set_start_ns(-1);
  bad[3].set_dropped_count(-1);
  bad[4].mutable_operations(1)->set_count(-1);
  bad[5].mutable_operations(1)->set_operation(static_cast<v1::OperationKind>(4711));
  bad[6].mutable_response()->set_sub_bucket_bits(5);
  bad[7].mutable_histograms(1)->mutable_service()->add_count(1);
  bad[8].mutable_host_load()->set_cpu_busy_ratio(std::nan(""));
  for (const v1::IntervalReport& report : bad) {
    EXPECT_EQ(merger.Add(0, report).code(), absl::StatusCode::kInvalidArgument) << report.ShortDebugString();
  }
  EXPECT_EQ(merger.Add(1, Report(1, true, 100, 2)).code(), absl::StatusCode::kInvalidArgument);
  v1::PointDone done = Done();
  done.set_unfinished_count(-1);
  EXPECT_FALSE(merger.Add(0, done).ok());
  done = Done();
  done.mutable_unfinished_age()->set_max_ns(1);
  EXPECT_FALSE(merger.Add(0, done).ok());
  done = Done();
  done.set_point(1);
  EXPECT_THAT(std::string(merger.Add(0, done).message()), HasSubstr("load point 1"));
  EXPECT_TRUE(MessageDifferencer::Equals(Finish(merger), before));
  // The refused second can still come in order.
  EXPECT_TRUE(merger.Add(0, Report(1, true, 100, 2)).ok());
  EXPECT_EQ(Finish(merger).measured_ns(), 2 * kSecond);
}

}  // namespace
}  // namespace crest
