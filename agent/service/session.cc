#include "agent/service/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/service/message_check.h"
#include "base/log.h"
#include "base/status.h"
#include "base/units.h"
#include "base/version.h"

namespace crest {
namespace {

constexpr int64_t kOpenTimeoutNs = 10'000'000'000;  // for the first message
constexpr int64_t kEndTimeoutNs = 1'000'000'000;    // for a prime to read the end of its stream
constexpr size_t kMaxStatusText = 4096;  // gRPC refuses headers beyond 8 KiB, and escapes triple a byte at worst

// absl's codes are gRPC's. Those that gRPC itself ends calls with are about the way to this agent: with one of them a
// prime would take a target that cannot be reached for an agent that cannot.
grpc::StatusCode CodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kCancelled:
      return grpc::StatusCode::FAILED_PRECONDITION;
    default:
      return static_cast<grpc::StatusCode>(status.code());
  }
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {CodeFor(status), std::string(status.message().substr(0, kMaxStatusText))};
}

v1::AgentMessage FailureOf(const absl::Status& status) {
  v1::AgentMessage message;
  message.mutable_failure()->set_code(static_cast<int32_t>(status.code()));
  message.mutable_failure()->set_message(std::string(status.message()));
  return message;
}

absl::Status OutOfOrder(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("message out of order: ", what));
}

// What a prime is called in logs and refusals.
std::string PrimeName(const v1::OpenSession& open) { return open.prime().empty() ? "a prime" : open.prime(); }

}  // namespace

Session::Session(const SessionContext& context, std::shared_ptr<SessionStream> stream, Claim claim)
    : context_(context), stream_(std::move(stream)), claim_(std::move(claim)), created_(context.clock->Now()) {}

// What arrives ------------------------------------------------------------------------------------------------------

void Session::OnMessage(v1::PrimeMessage message, MonoTime received) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kClosing || state_ == State::kOver) return;
  const absl::Status status = Handle(message, received);
  if (status.ok()) return Renew(received);
  LogWarning("a session's message was refused: ", status.message());
  EndLocked(ToGrpc(status));
}

absl::Status Session::Handle(const v1::PrimeMessage& message, MonoTime received) {
  using Kind = v1::PrimeMessage::MessageCase;
  if (message.message_case() == Kind::kOpen) return HandleOpen(message.open(), received);
  if (state_ == State::kNew) return absl::InvalidArgumentError("the first message must be OpenSession");
  switch (message.message_case()) {
    case Kind::kClockProbe: {
      v1::AgentMessage reply;
      reply.mutable_clock_reply()->set_sequence(message.clock_probe().sequence());
      reply.mutable_clock_reply()->set_prime_ns(message.clock_probe().prime_ns());
      reply.mutable_clock_reply()->set_received_ns(received.ns);
      stream_->Send(std::move(reply));
      return absl::OkStatus();
    }
    case Kind::kPrepare:
      CREST_RETURN_IF_ERROR(CheckPrepare(message.prepare()));
      return Accept(message.prepare());
    case Kind::kStartPoint:
      return HandleStartPoint(message.start_point());
    case Kind::kAdjustPoint:
      CREST_RETURN_IF_ERROR(CheckAdjustPoint(message.adjust_point()));
      if (state_ == State::kBusy) load_->Adjust(message.adjust_point());  // otherwise it crossed the point's end
      return absl::OkStatus();
    case Kind::kStopPoint:
      if (state_ == State::kBusy) StopLoad();  // otherwise it crossed the point's end
      return absl::OkStatus();
    case Kind::kBeat:
      return absl::OkStatus();
    case Kind::kClose:
      StopLoad();
      state_ = State::kClosing;
      changed_.notify_all();
      return absl::OkStatus();
    case Kind::kOpen:
    case Kind::MESSAGE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a message of no kind that this agent knows; install the same crest on all hosts");
}

absl::Status Session::HandleOpen(const v1::OpenSession& open, MonoTime received) {
  if (state_ != State::kNew) return OutOfOrder("OpenSession came twice");
  CREST_RETURN_IF_ERROR(CheckOpen(open));
  open_ = open;
  lease_ns_ = absl::ToInt64Nanoseconds(LeaseOf(open));
  CREST_RETURN_IF_ERROR(claim_(shared_from_this(), open));
  state_ = State::kOpening;
  next_beat_ = received + lease_ns_ / 3;
  return absl::OkStatus();
}

absl::Status Session::HandleStartPoint(const v1::StartPoint& start) {
  const MonoTime now = context_.clock->Now();
  CREST_RETURN_IF_ERROR(CheckStartPoint(start, last_point_, now));
  if (!prepared_ && !open_.observer()) return OutOfOrder("StartPoint before Prepare has succeeded");
  if (state_ == State::kIdle && start.start_ns() <= now.ns) {
    stream_->Send(FailureOf(absl::DeadlineExceededError(
        absl::StrCat("the start of point ", start.point(), " was ", (now.ns - start.start_ns()) / 1'000'000,
                     " ms ago when this agent heard of it; check the network's round trip and the agent's CPU"))));
    return absl::OkStatus();
  }
  CREST_RETURN_IF_ERROR(Accept(start));
  last_point_ = start.point();
  return absl::OkStatus();
}

absl::Status Session::Accept(Command command) {
  if (state_ == State::kOpening) return OutOfOrder("the session is not open yet");
  if (state_ != State::kIdle) return OutOfOrder("the last Prepare or StartPoint has not ended yet");
  // Here rather than where the command begins, so that a StopPoint that comes in between is not lost.
  if (std::exchange(stopped_, false)) load_->Resume();
  state_ = State::kBusy;
  command_ = std::move(command);
  changed_.notify_all();
  return absl::OkStatus();
}

void Session::Renew(MonoTime received) {
  if (state_ == State::kNew) return;
  lease_until_ = received + lease_ns_;
  if (load_ != nullptr && state_ != State::kClosing) load_->lease_until_ns() = lease_until_.ns;
}

void Session::OnGone() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kClosing || state_ == State::kOver) return;
  EndLocked({grpc::StatusCode::CANCELLED, "the prime left without CloseSession"});
}

// The lease and the end ----------------------------------------------------------------------------------------------

MonoTime Session::Tick(MonoTime now) {
  const std::lock_guard lock(mutex_);
  stream_->CutIfStuck(now + -kEndTimeoutNs);
  if (state_ == State::kOver) return now + kEndTimeoutNs / 4;
  if (state_ == State::kNew) {
    if (now - created_ < kOpenTimeoutNs) return created_ + kOpenTimeoutNs;
    EndLocked({grpc::StatusCode::DEADLINE_EXCEEDED, "no OpenSession came"});
    return now + kEndTimeoutNs;
  }
  if (now >= lease_until_ && state_ != State::kClosing) {
    const std::string lease = crest::FormatDuration(absl::Nanoseconds(lease_ns_));
    LogWarning("nothing heard from ", PrimeName(open_), " for ", lease, ": its load is stopped");
    EndLocked(
        {grpc::StatusCode::DEADLINE_EXCEEDED,
         absl::StrCat("the lease lapsed: nothing was heard from the prime for ", lease,
                      "; the load was stopped. Check the network and that the prime's host is not short of CPU")});
    return now + kEndTimeoutNs;
  }
  if (now >= next_beat_) {
    stream_->SendBeat();
    next_beat_ = now + lease_ns_ / 3;
  }
  return std::min(next_beat_, lease_until_);
}

void Session::Shutdown() {
  const std::lock_guard lock(mutex_);
  EndLocked({grpc::StatusCode::UNAVAILABLE, "the agent is shutting down"});
}

void Session::StopLoad() {
  if (load_ == nullptr || std::exchange(stopped_, true)) return;
  load_->Stop();
}

void Session::EndLocked(const grpc::Status& status) {
  StopLoad();
  state_ = State::kOver;
  stream_->End(status);
  changed_.notify_all();
}

// The work -----------------------------------------------------------------------------------------------------------

void Session::Run(const std::function<void()>& released) {
  LogInfo("session of ", PrimeName(open_), ", run ", open_.run_id());
  const absl::Status opened = OpenLoad();
  if (opened.ok()) {
    if (context_.observer != nullptr) context_.observer->OnSessionOpened(open_);
    while (std::optional<Command> command = NextCommand()) {
      std::visit([this](const auto& what) { Do(what); }, *command);
    }
    CloseLoad();
    if (context_.observer != nullptr) context_.observer->OnSessionClosed();
  }
  LogInfo("session of ", PrimeName(open_), " is over", opened.ok() ? "" : ": ", opened.message());
  released();
  const std::lock_guard lock(mutex_);
  EndLocked(ToGrpc(opened));  // nothing new where the session ended for another reason
}

absl::Status Session::OpenLoad() {
  absl::StatusOr<std::unique_ptr<LoadSession>> load = context_.open_load(open_);
  if (!load.ok()) return load.status();
  v1::AgentMessage opened;
  opened.mutable_opened()->set_protocol_version(kProtocolVersion);
  *opened.mutable_opened()->mutable_host() = context_.host();

  const std::lock_guard lock(mutex_);
  load_ = *std::move(load);
  if (state_ != State::kOpening) {
    StopLoad();
    return absl::OkStatus();
  }
  load_->lease_until_ns() = lease_until_.ns;
  state_ = State::kIdle;
  stream_->Send(std::move(opened));
  return absl::OkStatus();
}

std::optional<Session::Command> Session::NextCommand() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return command_ || state_ == State::kClosing || state_ == State::kOver; });
  if (state_ == State::kClosing || state_ == State::kOver) return std::nullopt;
  return std::exchange(command_, std::nullopt);
}

void Session::Do(const v1::Prepare& prepare) {
  const absl::StatusOr<v1::Prepared> prepared = load_->Prepare(prepare, [this](const v1::PrepareProgress& progress) {
    v1::AgentMessage message;
    *message.mutable_prepare_progress() = progress;
    Report(std::move(message));
  });
  {
    const std::lock_guard lock(mutex_);
    prepared_ = prepared.ok();
  }
  if (!prepared.ok()) return FinishCommand(FailureOf(prepared.status()));
  v1::AgentMessage message;
  *message.mutable_prepared() = *prepared;
  FinishCommand(std::move(message));
}

void Session::Do(const v1::StartPoint& start) {
  if (context_.observer != nullptr) context_.observer->OnPointStarted(start);
  const absl::StatusOr<v1::PointDone> done = load_->RunPoint(start, [this](v1::IntervalReport report) {
    if (context_.observer != nullptr) context_.observer->OnInterval(report);
    v1::AgentMessage message;
    *message.mutable_interval() = std::move(report);
    Report(std::move(message));
  });
  if (context_.observer != nullptr) context_.observer->OnPointEnded();
  if (!done.ok()) return FinishCommand(FailureOf(done.status()));
  v1::AgentMessage message;
  *message.mutable_point_done() = *done;
  FinishCommand(std::move(message));
}

void Session::Report(v1::AgentMessage message) { stream_->Send(std::move(message)); }

void Session::FinishCommand(v1::AgentMessage message) {
  const std::lock_guard lock(mutex_);
  // The state first: the prime may answer before Send returns.
  if (state_ == State::kBusy) state_ = State::kIdle;
  stream_->Send(std::move(message));
}

void Session::CloseLoad() {
  std::unique_ptr<LoadSession> load;
  {
    const std::lock_guard lock(mutex_);
    StopLoad();
    load = std::move(load_);
  }
  // The clean-up has its own bound; it needs no prime.
  load->lease_until_ns() = INT64_MAX;
  load->Close();
}

}  // namespace crest
