#include "prime/fleet/fleet.h"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/fleet/fake_agent.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Message = v1::PrimeMessage;

v1::OpenSession OpenRequest() {
  v1::OpenSession open;
  open.set_run_id("r1");
  open.set_prime("tester@here");
  open.add_target("null:");
  open.mutable_workload()->set_name("small");
  v1::OperationShare& share = *open.mutable_workload()->add_mix();
  share.set_operation(v1::OPERATION_GETATTR);
  share.set_share(1);
  open.set_stream_count(4);
  return open;
}

PointRequest Point(uint32_t index = 1) {
  return {.point = index,
          .requested_ops_per_sec = 200,
          .warmup = absl::Seconds(2),
          .measure = absl::Seconds(3),
          .max_backlog = absl::Seconds(1)};
}

// A fleet of fake agents. Leases are short, but long beside what a loaded host may pause.
class FleetTest : public ::testing::Test {
 protected:
  void AddAgent(FakeAgentScript script = {}) {
    agents_.emplace_back(std::move(script));
    observer_.push_back(false);
  }
  void AddObserver(FakeAgentScript script = {}) {
    AddAgent(std::move(script));
    observer_.back() = true;
  }

  absl::Status Connect() {
    std::vector<AgentEndpoint> endpoints;
    for (size_t i = 0; i < agents_.size(); ++i) {
      endpoints.push_back({.address = agents_[i].address(), .name = "", .observer = observer_[i]});
    }
    absl::StatusOr<std::unique_ptr<Fleet>> fleet = Fleet::Connect(endpoints, OpenRequest(), options_);
    if (fleet.ok()) fleet_ = *std::move(fleet);
    return fleet.status();
  }

  PointOutcome RunPoint(const PointRequest& request = Point()) {
    return fleet_->RunPoint(request, {}, [this](const IntervalView&) { ++intervals_; });
  }

  // Plays the first `count` intervals of a load point, then waits for the other agents that do so, then does `then`.
  FakeAgentScript Meeting(int count, int agents, std::function<void()> then = nullptr) {
    FakeAgentScript script{.hold_after_intervals = count};
    script.on_interval = [this, count, agents, then](int sent) {
      if (sent != count) return;
      ++arrived_;
      while (arrived_ < agents) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (then) then();
    };
    return script;
  }

  // The last address is that of the agent with the fault.
  std::string Culprit() const { return agents_.back().address(); }

  std::deque<FakeAgent> agents_;
  std::vector<bool> observer_;  // of each agent
  FleetOptions options_{.tls = {}, .lease = absl::Seconds(3), .stop_timeout = absl::Seconds(1), .on_wait = nullptr};
  std::unique_ptr<Fleet> fleet_;
  int intervals_ = 0;
  std::atomic<int> arrived_ = 0;
};

TEST_F(FleetTest, RunsALoadPointOnAllAgents) {
  AddAgent();
  AddAgent();
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(fleet_->hosts()[1].agent_address(), agents_[1].address());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  std::vector<FleetPrepareProgress> progress;
  const absl::StatusOr<v1::Prepared> prepared =
      fleet_->Prepare(200, [&](const FleetPrepareProgress& p) { progress.push_back(p); });
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->bytes_total(), 2 * 200'000);
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress[0].phase, "building file set");

  const PointOutcome outcome = RunPoint();
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_FALSE(outcome.data.stopped());
  ASSERT_EQ(outcome.data.operations_size(), 1);
  EXPECT_EQ(outcome.data.operations(0).counts().count(), 2 * 100 * 3);
  EXPECT_EQ(outcome.data.agents_size(), 2);
  EXPECT_EQ(outcome.data.intervals_size(), 5);
  EXPECT_GE(intervals_, 1);

  EXPECT_TRUE(fleet_->Close().ok());
  EXPECT_TRUE(agents_[0].AwaitNoSession());
  EXPECT_EQ(agents_[0].Count(Message::kClose), 1);
}

TEST_F(FleetTest, ObserversSendNoLoadAndAreCountedNowhere) {
  AddObserver();
  AddAgent();
  AddAgent();
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(fleet_->hosts()[2].agent_address(), agents_[0].address());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  ASSERT_TRUE(fleet_->Prepare(200, nullptr).ok());
  const PointOutcome outcome = RunPoint();
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.data.operations(0).counts().count(), 2 * 100 * 3);
  EXPECT_EQ(outcome.data.agents_size(), 2);
  EXPECT_EQ(outcome.data.intervals(0).agents_reporting(), 2u);
  ASSERT_EQ(outcome.data.observers_size(), 1);
  EXPECT_EQ(outcome.data.observers(0).address(), agents_[0].address());
  EXPECT_FALSE(outcome.data.observers(0).lost());
  EXPECT_EQ(outcome.data.observers(0).figures(0).mean(), 0.5);
  EXPECT_EQ(agents_[0].Count(Message::kPrepare), 0);
  for (const Message& message : agents_[0].received()) {
    if (!message.has_open()) continue;
    EXPECT_TRUE(message.open().observer());
    EXPECT_TRUE(message.open().target().empty());
    EXPECT_FALSE(message.open().has_workload());
  }
  for (size_t i = 1; i < 3; ++i) {
    for (const Message& message : agents_[i].received()) {
      if (!message.has_open()) continue;
      EXPECT_EQ(message.open().agent_index(), i - 1);
      EXPECT_EQ(message.open().agent_count(), 2u);
      EXPECT_FALSE(message.open().observer());
    }
  }
}

TEST_F(FleetTest, AnObserverNeedsNoEngineForTheTarget) {
  AddAgent();
  AddObserver({.scheme = "another", .operations = {}});
  EXPECT_TRUE(Connect().ok());
}

TEST_F(FleetTest, AnObserverThatIsLostStopsNothing) {
  AddAgent();
  AddObserver({.die_after_intervals = 3});
  ASSERT_TRUE(Connect().ok());
  for (uint32_t point = 1; point <= 2; ++point) {
    ASSERT_TRUE(fleet_->MeasureClocks().ok());
    const PointOutcome outcome = RunPoint(Point(point));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_FALSE(outcome.data.stopped());
    EXPECT_FALSE(outcome.data.agents(0).lost());
    ASSERT_EQ(outcome.data.observers_size(), 1);
    EXPECT_TRUE(outcome.data.observers(0).lost());
  }
}

TEST_F(FleetTest, AnObserverThatFailsOrFallsSilentIsNotWaitedFor) {
  AddAgent();
  AddObserver({.silent_after_intervals = 1});
  AddObserver({.point_error = absl::InternalError("out of order")});
  ASSERT_TRUE(Connect().ok());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  const absl::Time before = absl::Now();
  const PointOutcome outcome = RunPoint();
  EXPECT_LT(absl::Now() - before, absl::Seconds(2));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.data.observers_size(), 2);
  EXPECT_TRUE(outcome.data.observers(0).lost());
  EXPECT_TRUE(outcome.data.observers(1).lost());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  EXPECT_TRUE(RunPoint(Point(2)).status.ok());
}

TEST_F(FleetTest, AnObserverThatHasNotEndedIsSentNoNextLoadPoint) {
  AddAgent();
  AddObserver({.hold_after_intervals = 2});
  ASSERT_TRUE(Connect().ok());
  for (uint32_t point = 1; point <= 3; ++point) {
    ASSERT_TRUE(fleet_->MeasureClocks().ok());
    const PointOutcome outcome = RunPoint(Point(point));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(outcome.data.observers(0).lost());
  }
  EXPECT_EQ(agents_[1].Count(Message::kStartPoint), 1);
}

TEST_F(FleetTest, AnObserverThatCannotBeOpenedIsTold) {
  AddAgent();
  AddObserver({.holder = "alice@laptop"});
  const absl::Status status = Connect();
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(Culprit()), HasSubstr("alice@laptop")));
}

TEST_F(FleetTest, ReportsAreHeardInTheirOrderAndNoneIsLost) {
  AddAgent();
  AddAgent();
  ASSERT_TRUE(Connect().ok());
  for (uint32_t point = 1; point <= 200; ++point) {
    const PointOutcome outcome = RunPoint(Point(point));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    ASSERT_EQ(outcome.data.operations(0).counts().count(), 2 * 100 * 3) << "load point " << point;
    ASSERT_EQ(outcome.data.intervals_size(), 5) << "load point " << point;
  }
}

TEST_F(FleetTest, EveryAgentIsToldItsPlaceAndStartsAtOneMoment) {
  AddAgent();
  AddAgent({.clock_skew_ns = 3'600'000'000'000});
  ASSERT_TRUE(Connect().ok());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  ASSERT_TRUE(RunPoint().status.ok());
  int64_t start[2] = {0, 0};
  for (size_t i = 0; i < 2; ++i) {
    for (const Message& message : agents_[i].received()) {
      if (message.has_open()) {
        EXPECT_EQ(message.open().agent_index(), i);
        EXPECT_EQ(message.open().agent_count(), 2u);
      }
      if (message.has_start_point()) start[i] = message.start_point().start_ns();
    }
  }
  const int64_t bound = fleet_->clocks()[0].bound_ns + fleet_->clocks()[1].bound_ns;
  EXPECT_LE(std::llabs(start[1] - start[0] - 3'600'000'000'000), bound);
}

TEST_F(FleetTest, ClockOffsetIsWithinItsBoundOnAnAsymmetricPath) {
  AddAgent({.clock_skew_ns = -5'000'000'000, .probe_delay = absl::Milliseconds(3)});
  ASSERT_TRUE(Connect().ok());
  ASSERT_TRUE(fleet_->MeasureClocks().ok());
  const ClockEstimate& clock = fleet_->clocks()[0];
  EXPECT_GE(clock.bound_ns, 1'500'000);  // 3 ms one way cannot look like less
  EXPECT_LE(std::llabs(clock.offset_ns + 5'000'000'000), clock.bound_ns);
}

TEST_F(FleetTest, UnreachableAgentIsNamed) {
  AddAgent();
  std::string gone;
  {
    const FakeAgent agent;
    gone = agent.address();
  }
  const absl::Status status =
      Fleet::Connect({{.address = agents_[0].address(), .name = ""}, {.address = gone, .name = ""}}, OpenRequest(),
                     options_)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), AllOf(StartsWith(gone), HasSubstr("start crest-agent")));
  EXPECT_EQ(agents_[0].Count(Message::kOpen), 0);
}

TEST_F(FleetTest, UnknownNameIsTold) {
  const absl::Status status =
      Fleet::Connect({{.address = "no-such-host.invalid:7460", .name = ""}}, OpenRequest(), options_).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("the name cannot be resolved"));
}

TEST_F(FleetTest, BusyAgentNamesItsHolder) {
  AddAgent();
  AddAgent({.holder = "ann@lab"});
  const absl::Status status = Connect();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), AllOf(StartsWith(Culprit()), HasSubstr("ann@lab has held it for 1m 30s")));
}

TEST_F(FleetTest, OtherVersionIsRefused) {
  AddAgent({.protocol_version = kProtocolVersion + 1});
  EXPECT_THAT(std::string(Connect().message()),
              AllOf(StartsWith(Culprit()), HasSubstr("crest 9.9"), HasSubstr("install the same version on all hosts")));
}

TEST_F(FleetTest, MixBeyondTheEngineIsRefusedBeforeASession) {
  AddAgent({.operations = {v1::OPERATION_READ}});
  const absl::Status status = Connect();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot do GETATTR"));
  EXPECT_THAT(agents_[0].received(), IsEmpty());
}

TEST_F(FleetTest, MissingEngineIsRefused) {
  AddAgent({.scheme = "nfs"});
  EXPECT_THAT(std::string(Connect().message()), HasSubstr("has no engine for null: targets; it has nfs"));
}

TEST_F(FleetTest, AgentThatNeverAnswersIsNamedInTime) {
  AddAgent({.answers_status = false});
  options_.connect_timeout = absl::Milliseconds(300);
  const absl::Status status = Connect();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), StartsWith(Culprit()));
}

TEST_F(FleetTest, SessionThatNeverOpensIsNamedAndTheOthersAreClosed) {
  AddAgent();
  AddAgent({.answers_open = false});
  options_.open_timeout = absl::Milliseconds(300);
  const absl::Status status = Connect();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), AllOf(StartsWith(Culprit()), HasSubstr("opening the session")));
  EXPECT_TRUE(agents_[0].AwaitNoSession());
  EXPECT_TRUE(agents_[1].AwaitNoSession());
}

TEST_F(FleetTest, WaitsAreNamed) {
  AddAgent({.answers_open = false});
  options_.open_timeout = absl::Milliseconds(1500);
  std::vector<std::string> waits;
  options_.on_wait = [&](const std::string& text) { waits.push_back(text); };
  EXPECT_FALSE(Connect().ok());
  ASSERT_FALSE(waits.empty());
  EXPECT_THAT(waits, Each(absl::StrCat("waiting for ", Culprit(), ": opening the session")));
}

TEST_F(FleetTest, RefusedTargetComesInTheAgentsWords) {
  AddAgent({.open_error = absl::NotFoundError("nfs://filer/x: no such export")});
  EXPECT_EQ(Connect(), absl::NotFoundError(absl::StrCat(Culprit(), ": nfs://filer/x: no such export")));
}

TEST_F(FleetTest, PrepareFailureNamesTheAgent) {
  AddAgent();
  AddAgent({.prepare_error = absl::ResourceExhaustedError("nfs://filer/x is full")});
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(fleet_->Prepare(200, nullptr).status(),
            absl::ResourceExhaustedError(absl::StrCat(Culprit(), ": nfs://filer/x is full")));
}

TEST_F(FleetTest, PrepareWithoutProgressEnds) {
  AddAgent({.answers_prepare = false});
  options_.prepare_stall = absl::Milliseconds(300);
  ASSERT_TRUE(Connect().ok());
  const absl::Status status = fleet_->Prepare(200, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), AllOf(StartsWith(Culprit()), HasSubstr("preparing the file set")));
}

TEST_F(FleetTest, BrokenStreamStopsTheOthersAndKeepsWhatWasMeasured) {
  AddAgent(Meeting(4, 2));
  FakeAgentScript dying = Meeting(4, 2);
  dying.hold_after_intervals = FakeAgentScript::kNever;
  dying.die_after_intervals = 4;
  AddAgent(std::move(dying));
  ASSERT_TRUE(Connect().ok());
  const PointOutcome outcome = RunPoint();
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(outcome.status.message()),
              AllOf(StartsWith(Culprit()), HasSubstr("broke while running load point 1")));
  EXPECT_TRUE(outcome.data.stopped());
  EXPECT_FALSE(outcome.data.agents(0).lost());
  EXPECT_TRUE(outcome.data.agents(1).lost());
  EXPECT_GE(outcome.data.operations(0).counts().count(), 2 * 100);
  EXPECT_EQ(agents_[0].Count(Message::kStopPoint), 1);
}

TEST_F(FleetTest, SilentAgentIsLostAfterTheLease) {
  options_.lease = absl::Seconds(1);
  AddAgent({.hold_after_intervals = 4});
  AddAgent({.hold_after_intervals = 4, .silent_after_intervals = 3});
  ASSERT_TRUE(Connect().ok());
  const PointOutcome outcome = RunPoint();
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(outcome.status.message()),
              AllOf(StartsWith(Culprit()), HasSubstr("nothing was heard for 1 s")));
  EXPECT_TRUE(outcome.data.agents(1).lost());
}

TEST_F(FleetTest, FailedPointNamesTheAgentAndStopsTheOthers) {
  AddAgent({.hold_after_intervals = 1});
  AddAgent({.point_error = absl::InternalError("out of memory")});
  ASSERT_TRUE(Connect().ok());
  const PointOutcome outcome = RunPoint();
  EXPECT_EQ(outcome.status, absl::InternalError(absl::StrCat(Culprit(), ": out of memory")));
  EXPECT_EQ(agents_[0].Count(Message::kStopPoint), 1);
}

TEST_F(FleetTest, InterruptStopsTheLoadEverywhereAndKeepsTheFigures) {
  AddAgent(Meeting(4, 2));
  AddAgent(Meeting(4, 2, [this] { fleet_->Interrupt(); }));
  ASSERT_TRUE(Connect().ok());
  const PointOutcome outcome = RunPoint();
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(outcome.data.stopped());
  EXPECT_EQ(outcome.data.operations(0).counts().count(), 2 * 100 * 2);
  for (const FakeAgent& agent : agents_) EXPECT_EQ(agent.Count(Message::kStopPoint), 1);
  EXPECT_EQ(fleet_->MeasureClocks().code(), absl::StatusCode::kCancelled);
}

TEST_F(FleetTest, AgentThatDoesNotStopIsCutOff) {
  FakeAgentScript script = Meeting(4, 1, [this] { fleet_->Interrupt(); });
  script.answers_stop = false;
  AddAgent(std::move(script));
  ASSERT_TRUE(Connect().ok());
  const PointOutcome outcome = RunPoint();
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(outcome.data.agents(0).lost());
  EXPECT_TRUE(agents_[0].AwaitNoSession());
}

TEST_F(FleetTest, InterruptEndsAWaitForAStatus) {
  AddAgent({.answers_status = false});
  options_.connect_timeout = absl::Hours(1);
  Fleet fleet({{.address = agents_[0].address(), .name = ""}}, options_);
  std::thread interrupter([&] { fleet.Interrupt(); });
  EXPECT_EQ(fleet.Open(OpenRequest()).code(), absl::StatusCode::kCancelled);
  interrupter.join();
}

TEST_F(FleetTest, CloseCutsOffAnAgentThatDoesNotCleanUp) {
  AddAgent({.answers_close = false});
  options_.close_timeout = absl::Milliseconds(300);
  ASSERT_TRUE(Connect().ok());
  const absl::Status status = fleet_->Close();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not clean up"));
  EXPECT_TRUE(agents_[0].AwaitNoSession());
}

TEST_F(FleetTest, BeatsKeepTheLease) {
  options_.lease = absl::Seconds(1);
  FakeAgentScript script;
  script.on_interval = [this](int) {
    // The load point lasts until three leases' worth of beats were heard.
    while (agents_[0].Count(Message::kBeat) < 6 && agents_[0].open_sessions() > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  AddAgent(std::move(script));
  ASSERT_TRUE(Connect().ok());
  EXPECT_TRUE(RunPoint().status.ok());
  EXPECT_GE(agents_[0].Count(Message::kBeat), 6);
}

TEST_F(FleetTest, QueryAnswersForEveryAgentInOrder) {
  AddAgent({.holder = "ann@lab"});
  AddAgent({.answers_status = false});
  AddAgent({.scheme = "nfs"});
  options_.connect_timeout = absl::Milliseconds(300);
  options_.connects_in_parallel = 1;
  std::vector<AgentEndpoint> endpoints;
  for (const FakeAgent& agent : agents_) endpoints.push_back({.address = agent.address(), .name = ""});
  const auto answers = QueryAgents(endpoints, options_);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]->holder(), "ann@lab");
  EXPECT_EQ(answers[1].status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(answers[2]->engines(0).scheme(), "nfs");
}

}  // namespace
}  // namespace crest
