#include "agent/load/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "agent/load/memory_engine.h"
#include "agent/load/simulation.h"
#include "agent/load/test_workload.h"

namespace crest {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class GeneratorTest : public testing::Test {
 protected:
  void Start(v1::Workload workload, uint32_t streams, double ops_per_s, int64_t measure_ns, uint32_t slots = 64,
             int64_t max_backlog_ns = 30 * kSecond) {
    model_ = *WorkloadModel::Create(workload, 1);
    GeneratorConfig config{
        .model = model_.get(), .stream_count = streams, .outstanding = workload.outstanding(), .slots = slots};
    for (uint32_t s = 0; s < streams; ++s) config.streams.push_back(s);
    generator_.emplace(config, &engine_, &clock_, &recorder_, &stop_, &lease_);
    GeneratorPoint point;
    point.counts = model_->files().CountsAt(ops_per_s);
    point.stream_ops_per_s = ops_per_s / streams;
    point.timeline = PointTimeline(clock_.Now() + 1000, 0, measure_ns);
    point.max_backlog_ns = max_backlog_ns;
    start_ = point.timeline.start();
    // What the streams read and write is there.
    engine_.fail = [this](const Operation& operation) {
      engine_.objects.emplace(operation.parent.value, 0);
      if (operation.kind != v1::OPERATION_REMOVE || removed_++ == 0) engine_.objects.emplace(operation.object.value, 0);
      return kOk;
    };
    generator_->Begin(point);
  }

  // Plays until `moment`, or to the end.
  void PlayUntil(MonoTime moment) {
    while (!generator_->ended() && clock_.Now() < moment) {
      const MonoTime wake = generator_->Dispatch();
      if (generator_->ended()) break;
      engine_.Reap(std::min(wake, moment), *generator_);
    }
    Collect();
  }

  void Collect() {
    while (auto record = recorder_.Take()) {
      records_.push_back(std::move(record));
    }
  }

  int64_t Done() const {
    int64_t count = 0;
    for (const auto& record : records_) {
      for (const OperationRecord& operation : record->operations)
        count += static_cast<int64_t>(operation.response.count());
    }
    return count;
  }
  int64_t Dropped() const {
    int64_t count = 0;
    for (const auto& record : records_) count += record->dropped;
    return count;
  }

  SimulatedClock clock_;
  MemoryEngine engine_{&clock_};
  Recorder recorder_;
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> lease_{INT64_MAX};
  std::unique_ptr<const WorkloadModel> model_;
  std::optional<Generator> generator_;
  MonoTime start_;
  int removed_ = 0;  // the first REMOVE takes a file that prepare made
  std::vector<std::unique_ptr<IntervalRecord>> records_;
};

TEST_F(GeneratorTest, EveryArrivalIsDoneOrUnfinishedOrDropped) {
  Start(GetattrWorkload(1), 10, 1000, 5 * kSecond);
  PlayUntil(MonoTime::Max());
  EXPECT_TRUE(generator_->ended());
  EXPECT_EQ(records_.size(), 5u);
  EXPECT_TRUE(records_.back()->last);
  EXPECT_EQ(Done() + static_cast<int64_t>(generator_->summary().unfinished_age.count()), 5000);
}

TEST_F(GeneratorTest, AnEngineThatIsBusyKeepsDueTimesAndLosesNothing) {
  Start(GetattrWorkload(1), 10, 1000, 5 * kSecond);
  PlayUntil(start_ + kSecond);
  engine_.busy = true;
  PlayUntil(start_ + 2 * kSecond);
  engine_.busy = false;
  PlayUntil(MonoTime::Max());
  EXPECT_EQ(Dropped(), 0);
  EXPECT_EQ(Done() + static_cast<int64_t>(generator_->summary().unfinished_age.count()), 5000);
  int64_t longest = 0;
  for (const auto& record : records_) {
    longest = std::max(longest, record->operations[v1::OPERATION_GETATTR].response.max_ns());
    // The wait is the target's, not the generator's lateness.
    EXPECT_LE(record->schedule_lag.max_ns(), 1'100'000);
  }
  EXPECT_NEAR(static_cast<double>(longest), kSecond, 0.02 * kSecond);
}

TEST_F(GeneratorTest, ABacklogOverItsBoundIsDroppedAndCounted) {
  Start(GetattrWorkload(1), 10, 1000, 5 * kSecond, 64, kSecond / 2);
  PlayUntil(start_ + kSecond);
  engine_.busy = true;
  PlayUntil(start_ + 3 * kSecond);
  engine_.busy = false;
  PlayUntil(MonoTime::Max());
  EXPECT_NEAR(static_cast<double>(Dropped()), 1500, 15);
  EXPECT_EQ(Done() + Dropped() + static_cast<int64_t>(generator_->summary().unfinished_age.count()), 5000);
}

TEST_F(GeneratorTest, WhatHangsIsUnfinishedAtItsAge) {
  Start(GetattrWorkload(1), 4, 400, 3 * kSecond);
  PlayUntil(start_ + kSecond);
  engine_.hang = true;
  PlayUntil(MonoTime::Max());
  const Histogram& age = generator_->summary().unfinished_age;
  EXPECT_NEAR(static_cast<double>(age.count()), 800, 5);
  EXPECT_NEAR(static_cast<double>(age.max_ns()), 2 * kSecond, 0.02 * kSecond);
  EXPECT_NEAR(age.mean_ns(), kSecond, 0.02 * kSecond);
}

TEST_F(GeneratorTest, AnswersOfAnEarlierPointTouchNothing) {
  Start(GetattrWorkload(1), 4, 400, kSecond);
  engine_.hang = true;
  PlayUntil(MonoTime::Max());
  ASSERT_EQ(engine_.in_flight(), 4);
  GeneratorPoint next;
  next.point = 2;
  next.counts = model_->files().CountsAt(400);
  next.stream_ops_per_s = 100;
  next.timeline = PointTimeline(clock_.Now() + 1000, 0, kSecond);
  next.max_backlog_ns = kSecond;
  generator_->Begin(next);
  engine_.hang = false;
  records_.clear();
  PlayUntil(MonoTime::Max());
  EXPECT_EQ(Done() + static_cast<int64_t>(generator_->summary().unfinished_age.count()), 400);
}

TEST_F(GeneratorTest, StopEndsItAtOnceAndSaysSo) {
  Start(GetattrWorkload(1), 10, 1000, 5 * kSecond);
  PlayUntil(start_ + kSecond + kSecond / 2);
  const size_t submitted = engine_.submitted.size();
  stop_ = true;
  PlayUntil(MonoTime::Max());
  EXPECT_TRUE(generator_->summary().stopped);
  EXPECT_EQ(engine_.submitted.size(), submitted);
  EXPECT_EQ(records_.size(), 2u);
  EXPECT_NEAR(static_cast<double>(records_.back()->interval.length_ns), kSecond / 2, 0.01 * kSecond);
}

TEST_F(GeneratorTest, NothingIsSentAfterTheLease) {
  Start(GetattrWorkload(1), 10, 1000, 5 * kSecond);
  lease_ = (start_ + kSecond).ns;
  PlayUntil(start_ + kSecond);
  const size_t submitted = engine_.submitted.size();
  clock_.AdvanceTo(start_ + 3 * kSecond);  // the process was stopped, and goes on
  PlayUntil(MonoTime::Max());
  EXPECT_TRUE(generator_->summary().stopped);
  EXPECT_EQ(engine_.submitted.size(), submitted);
}

TEST_F(GeneratorTest, ARemoveWaitsForTheCreateBeforeIt) {
  v1::Workload workload = GetattrWorkload(0);
  workload.mutable_mix(0)->set_operation(v1::OPERATION_CREATE);
  workload.mutable_mix(0)->set_share(0.5);
  v1::OperationShare& removes = *workload.add_mix();
  removes.set_operation(v1::OPERATION_REMOVE);
  removes.set_share(0.5);
  Start(workload, 1, 2'000'000, kSecond / 100);  // due every 0.5 µs; an answer takes 1 µs
  PlayUntil(MonoTime::Max());
  std::set<uint64_t> created = {OperationStream::InitialFile(*model_, model_->files().CountsAt(1), 0, 1)->object.value};
  for (const Operation& operation : engine_.submitted) {
    if (operation.kind == v1::OPERATION_CREATE) {
      created.insert(operation.object.value);
    } else {
      EXPECT_EQ(created.erase(operation.object.value), 1u);
    }
  }
  int64_t failed = 0;
  for (const auto& record : records_) {
    failed += static_cast<int64_t>(record->operations[v1::OPERATION_REMOVE].failed_response.count());
  }
  EXPECT_EQ(failed, 0);
  EXPECT_GT(engine_.submitted.size(), 5'000u);
}

TEST_F(GeneratorTest, ThePoolOfSlotsBoundsWhatIsInFlight) {
  Start(GetattrWorkload(0), 10, 1000, 2 * kSecond, 8);
  engine_.hang = true;
  PlayUntil(start_ + kSecond);
  EXPECT_EQ(engine_.in_flight(), 8);
  engine_.hang = false;
  PlayUntil(MonoTime::Max());
  EXPECT_EQ(Done() + static_cast<int64_t>(generator_->summary().unfinished_age.count()), 2000);
}

TEST_F(GeneratorTest, FailuresAreCountedByOutcomeAndAreNoSuccess) {
  Start(GetattrWorkload(1), 10, 1000, kSecond);
  int n = 0;
  engine_.fail = [&n](const Operation&) { return ++n % 4 == 0 ? kTimedOut : kNotFound; };
  PlayUntil(MonoTime::Max());
  EXPECT_EQ(Done(), 0);
  const OperationRecord& operation = records_.front()->operations[v1::OPERATION_GETATTR];
  EXPECT_NEAR(static_cast<double>(operation.failures[kTimedOut]), 250, 3);
  EXPECT_NEAR(static_cast<double>(operation.failures[kNotFound]), 750, 3);
  EXPECT_EQ(operation.failed_response.count(),
            static_cast<uint64_t>(operation.failures[kTimedOut] + operation.failures[kNotFound]));
}

}  // namespace
}  // namespace crest
