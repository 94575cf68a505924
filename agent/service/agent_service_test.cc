#include "agent/service/agent_service.h"

#include <optional>
#include <string>

#include "agent/service/agent_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using State = FakeLoadScript::State;

const EngineType kEngine{.scheme = "servicetest", .operations = {v1::OPERATION_READ}, .simulated = true};
const EngineType kRealEngine{.scheme = "servicereal"};
const bool kRegistered = RegisterEngine(&kEngine) && RegisterEngine(&kRealEngine);

TEST_F(AgentServiceTest, StatusTellsHostEnginesAndHolder) {
  ASSERT_TRUE(kRegistered);
  v1::AgentStatus status = Status();
  EXPECT_EQ(status.protocol_version(), kProtocolVersion);
  EXPECT_EQ(status.host().host_name(), "client7");
  EXPECT_EQ(status.host().crest_version(), kVersion);
  EXPECT_EQ(status.holder(), "");
  const auto is_ours = [](const v1::EngineInfo& engine) { return engine.scheme() == "servicetest"; };
  const auto ours = std::find_if(status.engines().begin(), status.engines().end(), is_ours);
  ASSERT_NE(ours, status.engines().end());
  EXPECT_TRUE(ours->simulated());
  EXPECT_EQ(ours->operations(0), v1::OPERATION_READ);

  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  EXPECT_EQ(Status().holder(), "alice@laptop (run run-1)");
}

TEST_F(AgentServiceTest, WholeSessionInOrder) {
  script_->Do([](State& state) { state.hold_point = false; });
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  for (uint32_t point = 1; point <= 3; ++point) {
    ASSERT_TRUE(prime.Send(TestPrime::Start(point)));
    for (int i = 0; i < 3; ++i) {
      const std::optional<v1::AgentMessage> report = prime.Receive();
      ASSERT_TRUE(report && report->has_interval());
      EXPECT_EQ(report->interval().point(), point);
      EXPECT_EQ(report->interval().start_ns(), i);
    }
    const std::optional<v1::AgentMessage> done = prime.Receive();
    ASSERT_TRUE(done && done->has_point_done());
    EXPECT_EQ(done->point_done().point(), point);
    EXPECT_FALSE(done->point_done().stopped());
  }
  ASSERT_TRUE(prime.Send(TestPrime::Close()));
  const grpc::Status status = prime.Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(script_->Do([](State& state) { return state.closes; }), 1);
  // Free before the prime was told that its session is over: the next one is never in the way of the last.
  EXPECT_EQ(Status().holder(), "");
}

TEST_F(AgentServiceTest, AnObserverNeedsNoTargetAndNoPrepare) {
  script_->Do([](State& state) { state.hold_point = false; });
  v1::PrimeMessage open = TestPrime::Open();
  open.mutable_open()->set_observer(true);
  open.mutable_open()->clear_target();
  open.mutable_open()->clear_workload();
  open.mutable_open()->clear_stream_count();
  open.mutable_open()->clear_agent_count();
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(open));
  std::optional<v1::AgentMessage> message = prime.Receive();
  ASSERT_TRUE(message && message->has_opened());
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  message = prime.Receive();
  EXPECT_TRUE(message && message->has_interval());
}

TEST_F(AgentServiceTest, SecondPrimeIsToldWhoHasTheAgent) {
  TestPrime first(stub_.get());
  first.OpenAndPrepare();
  TestPrime second(stub_.get());
  ASSERT_TRUE(second.Send(TestPrime::Open()));
  const grpc::Status status = second.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(),
              AllOf(HasSubstr("busy: held by alice@laptop (run run-1) since 20"), HasSubstr("Z (")));
  // The first is not disturbed.
  ASSERT_TRUE(first.Send(TestPrime::Close()));
  EXPECT_TRUE(first.Finish().ok());
}

TEST_F(AgentServiceTest, AnotherVersionIsRefused) {
  v1::PrimeMessage open = TestPrime::Open();
  open.mutable_open()->set_protocol_version(99);
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(open));
  const grpc::Status status = prime.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("protocol 1 "), HasSubstr("protocol 99 "), HasSubstr("install")));
  EXPECT_EQ(script_->Do([](State& state) { return state.opening; }), 0);
}

TEST_F(AgentServiceTest, OpenThatFailsIsAnswerAndFreesTheAgent) {
  script_->Do([](State& state) { state.open_status = absl::NotFoundError("no such export"); });
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(TestPrime::Open()));
  const grpc::Status status = prime.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such export");
  EXPECT_EQ(Status().holder(), "");
}

TEST_F(AgentServiceTest, TargetsAreNotTouchedUnlessAllowed) {
  v1::PrimeMessage open = TestPrime::Open();
  open.mutable_open()->add_target("servicereal://filer/export");
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(open));
  const grpc::Status status = prime.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("--allow servicereal://filer/export"));
  EXPECT_EQ(script_->Do([](State& state) { return state.opening; }), 0);
}

TEST_F(AgentServiceTest, ClockIsAnsweredWhilePrepareBlocks) {
  script_->Do([](State& state) { state.hold_prepare = true; });
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(TestPrime::Open()));
  ASSERT_TRUE(prime.Receive()->has_opened());
  ASSERT_TRUE(prime.Send(TestPrime::Prepare()));
  ASSERT_TRUE(prime.Receive()->has_prepare_progress());
  const int64_t before = clock_.Now().ns;
  ASSERT_TRUE(prime.Send(TestPrime::Probe(42)));
  const std::optional<v1::AgentMessage> reply = prime.Receive();
  ASSERT_TRUE(reply && reply->has_clock_reply());
  EXPECT_EQ(reply->clock_reply().sequence(), 42);
  EXPECT_EQ(reply->clock_reply().prime_ns(), -5);
  EXPECT_LE(before, reply->clock_reply().received_ns());
  EXPECT_LE(reply->clock_reply().received_ns(), reply->clock_reply().replied_ns());
  EXPECT_LE(reply->clock_reply().replied_ns(), clock_.Now().ns);
  script_->Do([](State& state) { state.hold_prepare = false; });
  ASSERT_TRUE(prime.Receive()->has_prepared());
}

TEST_F(AgentServiceTest, StatusAndClockAreAnsweredWhileOpenBlocks) {
  script_->Do([](State& state) { state.hold_open = true; });
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(TestPrime::Open()));
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.opening == 1; }));
  ASSERT_TRUE(prime.Send(TestPrime::Probe(1)));
  ASSERT_TRUE(prime.Receive()->has_clock_reply());
  EXPECT_NE(Status().holder(), "");
  script_->Do([](State& state) { state.hold_open = false; });
  EXPECT_TRUE(prime.Receive()->has_opened());
}

TEST_F(AgentServiceTest, StopInTheMiddle) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  for (uint32_t point = 1; point <= 2; ++point) {  // the second shows that stopping is undone
    ASSERT_TRUE(prime.Send(TestPrime::Start(point)));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(prime.Receive()->has_interval());
    if (point == 2) {
      ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.running == 1; }));
    }
    ASSERT_TRUE(prime.Send(TestPrime::Stop()));
    const std::optional<v1::AgentMessage> done = prime.Receive();
    ASSERT_TRUE(done && done->has_point_done());
    EXPECT_TRUE(done->point_done().stopped());
  }
  ASSERT_TRUE(prime.Send(TestPrime::Stop()));  // one that crossed the point's end is no error
  ASSERT_TRUE(prime.Send(TestPrime::Close()));
  EXPECT_TRUE(prime.Finish().ok());
}

TEST_F(AgentServiceTest, StopRightAfterStartIsNotLost) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  script_->Do([](State& state) { state.intervals = 0; });
  for (uint32_t point = 1; point <= 50; ++point) {
    ASSERT_TRUE(prime.Send(TestPrime::Start(point)));
    ASSERT_TRUE(prime.Send(TestPrime::Stop()));
    const std::optional<v1::AgentMessage> done = prime.Receive();
    ASSERT_TRUE(done && done->has_point_done());
    ASSERT_TRUE(done->point_done().stopped());
  }
}

TEST_F(AgentServiceTest, FailureOfPrepareLeavesTheSession) {
  script_->Do([](State& state) { state.prepare_status = absl::ResourceExhaustedError("the export is full"); });
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(TestPrime::Open()));
  ASSERT_TRUE(prime.Receive()->has_opened());
  ASSERT_TRUE(prime.Send(TestPrime::Prepare()));
  ASSERT_TRUE(prime.Receive()->has_prepare_progress());
  const std::optional<v1::AgentMessage> failure = prime.Receive();
  ASSERT_TRUE(failure && failure->has_failure());
  EXPECT_EQ(failure->failure().code(), static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(failure->failure().message(), "the export is full");
  script_->Do([](State& state) { state.prepare_status = absl::OkStatus(); });
  ASSERT_TRUE(prime.Send(TestPrime::Prepare()));
  ASSERT_TRUE(prime.Receive()->has_prepare_progress());
  EXPECT_TRUE(prime.Receive()->has_prepared());
}

TEST_F(AgentServiceTest, StartThatHasPassedIsAFailure) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  v1::PrimeMessage late = TestPrime::Start(1);
  late.mutable_start_point()->set_start_ns(1);
  ASSERT_TRUE(prime.Send(late));
  const std::optional<v1::AgentMessage> failure = prime.Receive();
  ASSERT_TRUE(failure && failure->has_failure());
  EXPECT_EQ(failure->failure().code(), static_cast<int>(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(AgentServiceTest, SilenceStopsTheLoadAndFreesTheAgent) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare(/*lease_seconds=*/1);
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  const grpc::Status status = prime.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(status.error_message(), HasSubstr("the lease lapsed"));
  EXPECT_GT(prime.beats(), 0);  // the agent's own
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.closes == 1; }));
  EXPECT_GE(script_->Do([](State& state) { return state.stops; }), 1);
  WaitUntilFree();
}

TEST_F(AgentServiceTest, BeatsKeepTheLease) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare(/*lease_seconds=*/3);
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  v1::PrimeMessage beat;
  beat.mutable_beat();
  const MonoTime end = clock_.Now() + absl::Seconds(4);
  while (clock_.Now() < end) {
    ASSERT_TRUE(prime.Send(beat));
    clock_.SleepUntil(clock_.Now() + absl::Milliseconds(50));
  }
  EXPECT_EQ(script_->Do([](State& state) { return state.stops; }), 0);
}

TEST_F(AgentServiceTest, LoadIsGivenTheLease) {
  const int64_t before = clock_.Now().ns;
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare(/*lease_seconds=*/30);
  const int64_t lease_until = script_->Do([](State& state) { return state.lease_until_ns; });
  EXPECT_GE(lease_until, before + 30'000'000'000);
  EXPECT_LE(lease_until, clock_.Now().ns + 30'000'000'000);
}

TEST_F(AgentServiceTest, BrokenStreamStopsTheLoad) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.running == 1; }));
  prime.Cancel();
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.closes == 1; }));
  EXPECT_GE(script_->Do([](State& state) { return state.stops; }), 1);
  WaitUntilFree();
  TestPrime next(stub_.get());
  next.OpenAndPrepare();
}

TEST_F(AgentServiceTest, BrokenStreamWhileOpenBlocks) {
  script_->Do([](State& state) { state.hold_open = true; });
  {
    TestPrime prime(stub_.get());
    ASSERT_TRUE(prime.Send(TestPrime::Open()));
    ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.opening == 1; }));
  }
  EXPECT_NE(Status().holder(), "");  // what was opened must be closed first
  script_->Do([](State& state) { state.hold_open = false; });
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.closes == 1; }));
  WaitUntilFree();
}

TEST_F(AgentServiceTest, ShutdownStopsTheLoadAndSaysSo) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.running == 1; }));
  EXPECT_TRUE(service_->Shutdown(absl::Minutes(1)));
  const grpc::Status status = prime.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(script_->Do([](State& state) { return state.closes; }), 1);
  TestPrime late(stub_.get());
  late.Send(TestPrime::Open());
  EXPECT_EQ(late.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(AgentServiceTest, PrimeThatDoesNotReadLosesItsSession) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  // More than the queue and the connection's windows hold.
  script_->Do([](State& state) { state.intervals = 2'000'000; });
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.closes == 1; }));
}

}  // namespace
}  // namespace crest
