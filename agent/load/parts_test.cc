// The small parts of the load: heap, queue, timeline, recorder, merger, checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "agent/load/due_heap.h"
#include "agent/load/interval_merger.h"
#include "agent/load/memory_engine.h"
#include "agent/load/open_session_check.h"
#include "agent/load/recorder.h"
#include "agent/load/test_workload.h"
#include "base/random.h"

namespace crest {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(DueHeapTest, YieldsInOrderUnderRandomPushesPopsAndReplacements) {
  Random random(1);
  DueHeap heap;
  std::vector<std::pair<int64_t, uint32_t>> expected;
  for (uint32_t i = 0; i < 2000; ++i) {
    const auto due = static_cast<int64_t>(random.Below(500));
    const auto least = std::min_element(expected.begin(), expected.end());
    switch (expected.empty() ? 0 : random.Below(3)) {
      case 0:
        heap.Push({due, i});
        expected.emplace_back(due, i);
        break;
      case 1:
        heap.Pop();
        expected.erase(least);
        break;
      default:
        heap.ReplaceTop({due, i});
        *least = {due, i};
    }
    ASSERT_EQ(heap.empty(), expected.empty());
    if (expected.empty()) continue;
    const auto next = *std::min_element(expected.begin(), expected.end());
    ASSERT_EQ(heap.top().due_ns, next.first);
    ASSERT_EQ(heap.top().stream, next.second);
  }
}

TEST(SpscQueueTest, HandsOverEverythingInOrderBetweenTwoThreads) {
  SpscQueue<int, 8> queue;
  constexpr int kItems = 20'000;
  std::thread producer([&queue] {
    for (int i = 0; i < kItems;) i += queue.Push(i) ? 1 : 0;
  });
  for (int expected = 0; expected < kItems;) {
    int item = -1;
    if (!queue.Pop(item)) continue;
    ASSERT_EQ(item, expected);
    ++expected;
  }
  producer.join();
}

TEST(PointTimelineTest, CutsWarmUpAndWindowIntoSecondsWithoutGap) {
  const PointTimeline timeline(MonoTime{5}, kSecond * 5 / 2, kSecond * 3 / 2);
  ASSERT_EQ(timeline.interval_count(), 5u);
  int64_t at_ns = 0;
  for (uint32_t i = 0; i < timeline.interval_count(); ++i) {
    const PointTimeline::Interval interval = timeline.IntervalAt(i);
    EXPECT_EQ(interval.start_ns, at_ns);
    EXPECT_EQ(interval.measured, i >= 3);
    EXPECT_EQ(interval.ends_phase, i == 2 || i == 4);
    at_ns += interval.length_ns;
  }
  EXPECT_EQ(at_ns, 4 * kSecond);
  EXPECT_EQ(timeline.end().ns, 5 + 4 * kSecond);
}

TEST(RecorderTest, GivesBackCleanRecordsAndLosesNoneWhenNobodyTakes) {
  Recorder recorder;
  for (int i = 0; i < 100; ++i) {
    IntervalRecord& record = recorder.current();
    EXPECT_EQ(record.dropped, 0);
    EXPECT_TRUE(record.operations[v1::OPERATION_READ].empty());
    record.dropped = i;
    record.operations[v1::OPERATION_READ].sent = 1;
    recorder.Publish();
  }
  for (int i = 0; i < 100; ++i) {
    auto record = recorder.Take();
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->dropped, i);
    recorder.Return(std::move(record));
  }
  EXPECT_EQ(recorder.Take(), nullptr);
  recorder.Publish();
  EXPECT_EQ(recorder.current().operations[v1::OPERATION_READ].sent, 0);
}

IntervalRecord* Fill(IntervalRecord& record, const PointTimeline& timeline, uint32_t index, int operations) {
  record.Clear();
  record.index = index;
  record.interval = timeline.IntervalAt(index);
  record.last = index + 1 == timeline.interval_count();
  OperationRecord& reads = record.operations[v1::OPERATION_READ];
  for (int i = 0; i < operations; ++i) {
    reads.response.Record(2000 + i);
    reads.service.Record(1000 + i);
    ++reads.sent;
    ++reads.calls;
  }
  return &record;
}

TEST(IntervalMergerTest, ReportsAnIntervalOnceEveryGeneratorHasSentItAndAddsThemExactly) {
  SimulatedClock clock;
  MemoryEngine engine(&clock);
  const PointTimeline timeline(MonoTime{0}, 2 * kSecond, 12 * kSecond);
  IntervalMerger merger(3, 2, &engine);
  IntervalRecord record;
  int64_t count = 0;
  uint64_t in_histograms = 0;
  uint32_t reports = 0;
  for (uint32_t i = 0; i < timeline.interval_count(); ++i) {
    merger.Add(0, *Fill(record, timeline, i, 10));
    EXPECT_FALSE(merger.Next().has_value()) << "the other generator has not sent it";
    merger.Add(1, *Fill(record, timeline, i, 5));
    const auto report = merger.Next();
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->point(), 3u);
    EXPECT_EQ(report->start_ns(), int64_t{i} * kSecond);
    EXPECT_EQ(report->measured(), i >= 2);
    ASSERT_EQ(report->operations_size(), 1);
    EXPECT_EQ(report->operations(0).count(), 15);
    if (report->measured()) count += report->operations(0).count();
    for (const v1::OperationHistograms& histograms : report->histograms()) {
      Histogram response;
      ASSERT_TRUE(response.Merge(histograms.response()).ok());
      if (report->measured()) in_histograms += response.count();
    }
    ++reports;
  }
  EXPECT_TRUE(merger.finished());
  EXPECT_EQ(reports, 14u);
  EXPECT_EQ(in_histograms, static_cast<uint64_t>(count)) << "warm-up's histograms do not reach into the window's";
}

TEST(IntervalMergerTest, AGeneratorThatStopsEarlyHoldsNobodyUp) {
  SimulatedClock clock;
  MemoryEngine engine(&clock);
  const PointTimeline timeline(MonoTime{0}, 0, 3 * kSecond);
  IntervalMerger merger(1, 2, &engine);
  IntervalRecord record;
  Fill(record, timeline, 0, 1)->last = true;
  merger.Add(0, record);
  for (uint32_t i = 0; i < 3; ++i) merger.Add(1, *Fill(record, timeline, i, 1));
  int reports = 0;
  while (merger.Next()) ++reports;
  EXPECT_EQ(reports, 3);
  EXPECT_TRUE(merger.finished());
}

v1::OpenSession GoodSession() {
  v1::OpenSession open;
  open.add_target("null:");
  *open.mutable_workload() = GetattrWorkload(1);
  open.set_stream_count(8);
  open.set_agent_count(2);
  return open;
}

TEST(CheckOpenSessionTest, RefusesWhatAHostilePrimeSends) {
  EXPECT_TRUE(CheckOpenSession(GoodSession()).ok());
  const auto refused = [](auto change) {
    v1::OpenSession open = GoodSession();
    change(open);
    return absl::IsInvalidArgument(CheckOpenSession(open));
  };
  EXPECT_TRUE(refused([](auto& open) { open.clear_target(); }));
  EXPECT_TRUE(refused([](auto& open) { open.set_agent_count(0); }));
  EXPECT_TRUE(refused([](auto& open) { open.set_agent_index(2); }));
  EXPECT_TRUE(refused([](auto& open) { open.set_stream_count(1); }));
  EXPECT_TRUE(refused([](auto& open) { open.set_stream_count(std::numeric_limits<uint32_t>::max()); }));
  EXPECT_TRUE(refused([](auto& open) { open.mutable_workload()->clear_mix(); }));
  EXPECT_TRUE(refused([](auto& open) { open.mutable_workload()->mutable_mix(0)->set_share(std::nan("")); }));
  EXPECT_TRUE(refused([](auto& open) { open.mutable_workload()->mutable_file_set()->set_files_per_directory(0); }));
}

TEST(CheckStartPointTest, RefusesRatesDurationsAndStartsOutOfRange) {
  const MonoTime now{1000 * kSecond};
  v1::StartPoint good;
  good.set_requested_ops_per_sec(100);
  good.set_start_ns(now.ns + kSecond);
  good.mutable_measure()->set_seconds(10);
  good.mutable_max_backlog()->set_seconds(30);
  EXPECT_TRUE(CheckStartPoint(good, now).ok());
  const auto refused = [&](auto change) {
    v1::StartPoint start = good;
    change(start);
    return absl::IsInvalidArgument(CheckStartPoint(start, now));
  };
  for (const double rate : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    EXPECT_TRUE(refused([rate](auto& start) { start.set_requested_ops_per_sec(rate); })) << rate;
  }
  EXPECT_TRUE(refused([](auto& start) { start.clear_measure(); }));
  EXPECT_TRUE(refused([](auto& start) { start.mutable_warmup()->set_seconds(-1); }));
  EXPECT_TRUE(refused([](auto& start) { start.mutable_measure()->set_seconds(std::numeric_limits<int64_t>::max()); }));
  EXPECT_TRUE(refused([](auto& start) { start.mutable_measure()->set_nanos(-5); }));
  EXPECT_TRUE(refused([](auto& start) { start.set_start_ns(std::numeric_limits<int64_t>::max()); }));
  EXPECT_TRUE(refused([](auto& start) { start.set_start_ns(std::numeric_limits<int64_t>::min() / 2); }));
}

}  // namespace
}  // namespace crest
