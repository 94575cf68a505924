#include "prime/fleet/fake_agent.h"

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "google/protobuf/util/time_util.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "results/histogram.h"

namespace crest {
namespace {

constexpr auto kLongWhile = std::chrono::seconds(30);
constexpr absl::Duration kBeatInterval = absl::Milliseconds(20);
constexpr int64_t kSecondNs = 1'000'000'000;

grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

v1::AgentMessage FailureOf(const absl::Status& status) {
  v1::AgentMessage message;
  message.mutable_failure()->set_code(static_cast<int32_t>(status.code()));
  message.mutable_failure()->set_message(std::string(status.message()));
  return message;
}

// A second in which every operation took 2 ms from due and 1 ms from sent, on a host that was half busy.
v1::IntervalReport OneSecond(const v1::StartPoint& start, int second, bool measured, int64_t count) {
  Histogram response;
  Histogram service;
  Histogram lag;
  for (int64_t i = 0; i < count; ++i) {
    response.Record(2'000'000);
    service.Record(1'000'000);
    lag.Record(1'000);
  }
  v1::IntervalReport report;
  report.set_point(start.point());
  report.set_measured(measured);
  report.set_start_ns(second * kSecondNs);
  report.set_length_ns(kSecondNs);
  v1::OperationCounts& counts = *report.add_operations();
  counts.set_operation(v1::OPERATION_GETATTR);
  counts.set_count(count);
  counts.set_call_count(count);
  counts.set_sent_count(count);
  *report.mutable_response() = response.ToProto();
  *report.mutable_service() = service.ToProto();
  *report.mutable_schedule_lag() = lag.ToProto();
  v1::OperationHistograms& histograms = *report.add_histograms();
  histograms.set_operation(v1::OPERATION_GETATTR);
  *histograms.mutable_response() = response.ToProto();
  *histograms.mutable_service() = service.ToProto();
  report.mutable_host_load()->set_cpu_busy_ratio(0.5);
  return report;
}

}  // namespace

// One session: the calling thread reads, one beats, one plays load points.
class FakeAgent::Conversation {
 public:
  using Stream = grpc::ServerReaderWriter<v1::AgentMessage, v1::PrimeMessage>;

  Conversation(FakeAgent& agent, grpc::ServerContext* context, Stream* stream)
      : agent_(agent), script_(agent.script_), context_(context), stream_(stream) {}

  grpc::Status Run() {
    std::thread beats([this] { Beat(); });
    const grpc::Status status = Read();
    SetOver();
    beats.join();
    if (point_.joinable()) point_.join();
    return status;
  }

 private:
  grpc::Status Read() {
    v1::PrimeMessage message;
    while (stream_->Read(&message)) {
      {
        const std::lock_guard lock(agent_.mutex_);
        agent_.received_.push_back(message);
      }
      while (message.has_close() && !script_.answers_close && !context_->IsCancelled()) {
        absl::SleepFor(absl::Milliseconds(5));
      }
      if (message.has_close()) return grpc::Status::OK;
      if (message.has_open()) {
        if (!script_.open_error.ok()) return ToGrpc(script_.open_error);
        Open(message.open());
      }
      if (message.has_clock_probe()) Answer(message.clock_probe());
      if (message.has_prepare()) Prepare(message.prepare());
      if (message.has_start_point()) Start(message.start_point());
      if (message.has_stop_point()) SetStopped();
    }
    return grpc::Status::OK;
  }

  void Open(const v1::OpenSession& open) {
    agent_count_ = open.observer() ? 0 : open.agent_count();
    if (!script_.answers_open) return;
    v1::AgentMessage message;
    message.mutable_opened()->set_protocol_version(kProtocolVersion);
    message.mutable_opened()->mutable_host()->set_host_name("fake");
    Send(message);
  }

  void Answer(const v1::ClockProbe& probe) {
    absl::SleepFor(script_.probe_delay);
    v1::AgentMessage message;
    v1::ClockReply& reply = *message.mutable_clock_reply();
    reply.set_sequence(probe.sequence());
    reply.set_prime_ns(probe.prime_ns());
    reply.set_received_ns(RealClock().Now().ns + script_.clock_skew_ns);
    reply.set_replied_ns(RealClock().Now().ns + script_.clock_skew_ns);
    Send(message);
  }

  void Prepare(const v1::Prepare& prepare) {
    if (!script_.prepare_error.ok()) return Send(FailureOf(script_.prepare_error));
    const double bytes = prepare.requested_ops_per_sec() * 1000;
    v1::AgentMessage message;
    v1::PrepareProgress& progress = *message.mutable_prepare_progress();
    progress.set_phase("building file set");
    progress.set_files_done(1);
    progress.set_files_total(2);
    progress.set_bytes_done(bytes / 2);
    progress.set_bytes_total(bytes);
    Send(message);
    if (!script_.answers_prepare) return;
    message.mutable_prepared()->set_bytes_total(bytes);
    message.mutable_prepared()->set_files_created(2);
    Send(message);
  }

  void Start(const v1::StartPoint& start) {
    if (point_.joinable()) point_.join();
    {
      const std::lock_guard lock(mutex_);
      stopped_ = false;
    }
    point_ = std::thread([this, start] { Play(start); });
  }

  // Seconds pass in no time: what a load point measures is made up, and so is when.
  void Play(const v1::StartPoint& start) {
    using google::protobuf::util::TimeUtil;
    if (!script_.point_error.ok()) return Send(FailureOf(script_.point_error));
    const int warmup = static_cast<int>(TimeUtil::DurationToSeconds(start.warmup()));
    const int seconds = warmup + static_cast<int>(TimeUtil::DurationToSeconds(start.measure()));
    const auto count = agent_count_ == 0 ? 0 : static_cast<int64_t>(start.requested_ops_per_sec() / agent_count_);
    for (int second = 0; second < seconds && !stopped(); ++second) {
      if (script_.on_interval) script_.on_interval(second);
      if (second == script_.hold_after_intervals) AwaitStop();
      if (second == script_.die_after_intervals) return context_->TryCancel();
      if (second == script_.silent_after_intervals) SetSilent();
      if (stopped()) break;
      v1::AgentMessage message;
      *message.mutable_interval() = OneSecond(start, second, second >= warmup, count);
      Send(message);
    }
    if (stopped() && !script_.answers_stop) return;
    v1::AgentMessage message;
    message.mutable_point_done()->set_point(start.point());
    message.mutable_point_done()->set_stopped(stopped());
    Send(message);
  }

  void Beat() {
    v1::AgentMessage message;
    message.mutable_beat();
    while (!over()) {
      if (script_.beats) Send(message);
      absl::SleepFor(kBeatInterval);
    }
  }

  void Send(const v1::AgentMessage& message) {
    const std::lock_guard lock(write_mutex_);
    if (!silent()) stream_->Write(message);
  }

  void AwaitStop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || over_; });
  }
  void SetStopped() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  void SetOver() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  void SetSilent() {
    const std::lock_guard lock(mutex_);
    silent_ = true;
  }
  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_ || over_;
  }
  bool over() {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  bool silent() {
    const std::lock_guard lock(mutex_);
    return silent_;
  }

  FakeAgent& agent_;
  const FakeAgentScript& script_;
  grpc::ServerContext* const context_;
  Stream* const stream_;
  uint32_t agent_count_ = 1;  // set before any load point begins; 0: an observer
  std::thread point_;
  std::mutex write_mutex_;  // gRPC takes one write at a time
  std::mutex mutex_;        // guards what follows
  std::condition_variable changed_;
  bool stopped_ = false;
  bool over_ = false;
  bool silent_ = false;
};

class FakeAgent::Service final : public v1::Agent::Service {
 public:
  explicit Service(FakeAgent& agent) : agent_(agent) {}

  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest*, v1::AgentStatus* status) override {
    const FakeAgentScript& script = agent_.script_;
    while (!script.answers_status && !context->IsCancelled()) absl::SleepFor(absl::Milliseconds(5));
    status->set_protocol_version(script.protocol_version);
    status->mutable_host()->set_crest_version("9.9");
    status->set_holder(script.holder);
    status->set_held_seconds(script.holder.empty() ? 0 : 90);
    v1::EngineInfo& engine = *status->add_engines();
    engine.set_scheme(script.scheme);
    for (const v1::OperationKind kind : script.operations) engine.add_operations(kind);
    return grpc::Status::OK;
  }

  grpc::Status Session(grpc::ServerContext* context, Conversation::Stream* stream) override {
    Add(1);
    const grpc::Status status = Conversation(agent_, context, stream).Run();
    Add(-1);
    return status;
  }

 private:
  void Add(int sessions) {
    const std::lock_guard lock(agent_.mutex_);
    agent_.open_sessions_ += sessions;
    agent_.changed_.notify_all();
  }

  FakeAgent& agent_;
};

FakeAgent::FakeAgent(FakeAgentScript script) : script_(std::move(script)), service_(std::make_unique<Service>(*this)) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

FakeAgent::~FakeAgent() { server_->Shutdown(std::chrono::system_clock::now()); }

std::vector<v1::PrimeMessage> FakeAgent::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

int FakeAgent::Count(v1::PrimeMessage::MessageCase kind) const {
  int count = 0;
  for (const v1::PrimeMessage& message : received()) count += message.message_case() == kind ? 1 : 0;
  return count;
}

int FakeAgent::open_sessions() const {
  const std::lock_guard lock(mutex_);
  return open_sessions_;
}

bool FakeAgent::AwaitNoSession() const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kLongWhile, [this] { return open_sessions_ == 0; });
}

}  // namespace crest
