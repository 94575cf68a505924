// A real agent on loopback with fake load behind it, and a prime that a test plays by hand.
#ifndef CREST_AGENT_SERVICE_AGENT_FIXTURE_H_
#define CREST_AGENT_SERVICE_AGENT_FIXTURE_H_

#include <memory>
#include <optional>

#include "agent/engine/registry.h"
#include "agent/service/agent_service.h"
#include "agent/service/fake_load.h"
#include "agent/service/server.h"
#include "base/version.h"
#include "gtest/gtest.h"

namespace crest {

/// One session stream, played by hand. Every read is bounded by the stream's deadline of a minute.
class TestPrime {
 public:
  explicit TestPrime(v1::Agent::Stub* stub) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    stream_ = stub->Session(&context_);
  }
  ~TestPrime() {
    if (!ended_) {
      context_.TryCancel();
      Finish();
    }
  }

  static v1::PrimeMessage Open(int lease_seconds = 30) {
    v1::PrimeMessage message;
    v1::OpenSession& open = *message.mutable_open();
    open.set_protocol_version(kProtocolVersion);
    open.set_crest_version("test");
    open.set_run_id("run-1");
    open.set_prime("alice@laptop");
    open.mutable_lease()->set_seconds(lease_seconds);
    open.add_target("servicetest:");
    open.mutable_workload()->set_name("w");
    open.set_stream_count(64);
    open.set_agent_count(1);
    return message;
  }
  static v1::PrimeMessage Prepare(double rate = 1000) {
    v1::PrimeMessage message;
    message.mutable_prepare()->set_requested_ops_per_sec(rate);
    return message;
  }
  static v1::PrimeMessage Start(uint32_t point) {
    v1::PrimeMessage message;
    v1::StartPoint& start = *message.mutable_start_point();
    start.set_point(point);
    start.set_requested_ops_per_sec(1000);
    start.set_start_ns((RealClock().Now() + absl::Minutes(1)).ns);
    start.mutable_measure()->set_seconds(1);
    return message;
  }
  static v1::PrimeMessage Stop() {
    v1::PrimeMessage message;
    message.mutable_stop_point();
    return message;
  }
  static v1::PrimeMessage Close() {
    v1::PrimeMessage message;
    message.mutable_close();
    return message;
  }
  static v1::PrimeMessage Probe(uint32_t sequence) {
    v1::PrimeMessage message;
    message.mutable_clock_probe()->set_sequence(sequence);
    message.mutable_clock_probe()->set_prime_ns(-5);
    return message;
  }

  bool Send(const v1::PrimeMessage& message) { return stream_->Write(message); }
  /// The next message that is no beat; nullopt at the stream's end.
  std::optional<v1::AgentMessage> Receive() {
    v1::AgentMessage message;
    while (stream_->Read(&message)) {
      if (!message.has_beat()) return message;
      ++beats_;
    }
    return std::nullopt;
  }
  /// Reads what is left and tells how the stream ended.
  grpc::Status Finish() {
    while (Receive()) continue;
    ended_ = true;
    return stream_->Finish();
  }
  void Cancel() { context_.TryCancel(); }
  int beats() const { return beats_; }

  /// Opens the session and prepares.
  void OpenAndPrepare(int lease_seconds = 30) {
    ASSERT_TRUE(Send(Open(lease_seconds)));
    std::optional<v1::AgentMessage> message = Receive();
    ASSERT_TRUE(message && message->has_opened());
    ASSERT_TRUE(Send(Prepare()));
    do {
      message = Receive();
      ASSERT_TRUE(message);
    } while (message->has_prepare_progress());
    ASSERT_TRUE(message->has_prepared());
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::PrimeMessage, v1::AgentMessage>> stream_;
  bool ended_ = false;
  int beats_ = 0;
};

class AgentServiceTest : public testing::Test {
 protected:
  AgentServiceTest() {
    AgentServiceOptions options;
    options.clock = &clock_;
    options.open_load = [script = script_](const v1::OpenSession&) { return OpenFakeLoad(script); };
    options.host = [] {
      v1::HostInfo host;
      host.set_host_name("client7");
      return host;
    };
    service_ = std::make_unique<AgentService>(std::move(options));
    ServerOptions server;
    server.listen.host = "127.0.0.1";
    absl::StatusOr<std::unique_ptr<AgentServer>> started = AgentServer::Start(server, service_.get());
    EXPECT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel(server_->address().ToString(), grpc::InsecureChannelCredentials());
    stub_ = v1::Agent::NewStub(channel_);
  }
  ~AgentServiceTest() override {
    script_->Do([](FakeLoadScript::State& state) { state.hold_open = state.hold_prepare = state.hold_point = false; });
  }

  v1::AgentStatus Status() {
    grpc::ClientContext context;
    v1::AgentStatus status;
    EXPECT_TRUE(stub_->GetStatus(&context, {}, &status).ok());
    return status;
  }
  /// Until nobody holds the agent: releases are not told to those who broke their stream.
  void WaitUntilFree() {
    while (!Status().holder().empty()) clock_.SleepUntil(clock_.Now() + absl::Milliseconds(5));
  }

  RealClock clock_;
  const std::shared_ptr<FakeLoadScript> script_ = std::make_shared<FakeLoadScript>();
  std::unique_ptr<AgentService> service_;
  std::unique_ptr<AgentServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Agent::Stub> stub_;
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_AGENT_FIXTURE_H_
