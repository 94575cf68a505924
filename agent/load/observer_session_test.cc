#include "agent/load/observer_session.h"

#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

v1::StartPoint Start(absl::Duration warmup, absl::Duration measure) {
  v1::StartPoint start;
  start.set_point(3);
  start.set_requested_ops_per_sec(1000);
  start.set_start_ns((RealClock().Now() + absl::Milliseconds(50)).ns);
  start.mutable_warmup()->set_seconds(absl::ToInt64Seconds(warmup));
  start.mutable_measure()->set_seconds(absl::ToInt64Seconds(measure));
  start.mutable_max_backlog()->set_seconds(30);
  return start;
}

std::unique_ptr<LoadSession> OpenObserver() {
  v1::OpenSession open;  // no target, no workload, no streams
  open.set_observer(true);
  absl::StatusOr<std::unique_ptr<LoadSession>> session = LoadSession::Open(open, {});
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

TEST(ObserverSessionTest, ReportsTheHostSecondBySecond) {
  const std::unique_ptr<LoadSession> session = OpenObserver();
  EXPECT_TRUE(session->Prepare({}, [](const v1::PrepareProgress&) {}).ok());
  std::vector<v1::IntervalReport> reports;
  const auto done = session->RunPoint(Start(absl::Seconds(1), absl::Seconds(2)),
                                      [&](v1::IntervalReport report) { reports.push_back(std::move(report)); });
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->point(), 3u);
  EXPECT_FALSE(done->stopped());
  ASSERT_EQ(reports.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reports[i].point(), 3u);
    EXPECT_EQ(reports[i].start_ns(), i * kSecondNs);
    EXPECT_EQ(reports[i].length_ns(), kSecondNs);
    EXPECT_EQ(reports[i].measured(), i > 0);
    EXPECT_TRUE(reports[i].operations().empty());
    EXPECT_GT(reports[i].host_load().available_memory_bytes(), 0);
  }
  session->Close();
}

TEST(ObserverSessionTest, StopsAtOnceAndRunsAgainAfterResume) {
  const std::unique_ptr<LoadSession> session = OpenObserver();
  std::thread stopper([&] {
    absl::SleepFor(absl::Milliseconds(200));
    session->Stop();
  });
  const absl::Time before = absl::Now();
  const auto done = session->RunPoint(Start(absl::Seconds(0), absl::Seconds(60)), [](v1::IntervalReport) {});
  stopper.join();
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->stopped());
  EXPECT_LT(absl::Now() - before, absl::Seconds(20));
  EXPECT_TRUE(session->RunPoint(Start(absl::Seconds(0), absl::Seconds(1)), [](v1::IntervalReport) {})->stopped());
  session->Resume();
  EXPECT_FALSE(session->RunPoint(Start(absl::Seconds(0), absl::Seconds(1)), [](v1::IntervalReport) {})->stopped());
}

TEST(ObserverSessionTest, FollowsEdgesThatMove) {
  const std::unique_ptr<LoadSession> session = OpenObserver();
  std::vector<v1::IntervalReport> reports;
  const auto done = session->RunPoint(Start(absl::Seconds(60), absl::Seconds(60)), [&](v1::IntervalReport report) {
    reports.push_back(std::move(report));
    if (reports.size() != 1) return;
    v1::AdjustPoint adjust;
    adjust.set_point(2);  // another: not heeded
    adjust.mutable_warmup()->set_seconds(1);
    session->Adjust(adjust);
    adjust.set_point(3);
    adjust.mutable_warmup()->set_seconds(1);
    adjust.mutable_measure()->set_seconds(1);
    session->Adjust(adjust);
  });
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(done->stopped());
  // One second has passed, another has begun: the warm-up ends after the third at the latest.
  ASSERT_GE(reports.size(), 3u);
  ASSERT_LE(reports.size(), 6u);
  EXPECT_FALSE(reports.front().measured());
  EXPECT_TRUE(reports.back().measured());
  for (size_t i = 1; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].start_ns(), reports[i - 1].start_ns() + reports[i - 1].length_ns());
    EXPECT_GE(reports[i].measured(), reports[i - 1].measured());
  }
}

TEST(ObserverSessionTest, AStartOutOfReachIsRefused) {
  const std::unique_ptr<LoadSession> session = OpenObserver();
  v1::StartPoint start = Start(absl::Seconds(1), absl::Seconds(1));
  start.set_start_ns(start.start_ns() + 3'600 * kSecondNs);
  EXPECT_EQ(session->RunPoint(start, [](v1::IntervalReport) {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace crest
