#include "prime/fleet/sessions.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "base/version.h"
#include "google/protobuf/util/time_util.h"
#include "prime/fleet/dial.h"
#include "prime/fleet/query.h"
#include "prime/fleet/waiting.h"

namespace crest {
namespace {

// What an observer may take longer than the slowest of those that send load.
constexpr absl::Duration kObserverPatience = absl::Milliseconds(250);

absl::StatusCode CodeOf(int32_t code) {
  const bool known = code > 0 && code <= static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
  return known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
}

}  // namespace

FleetSessions::FleetSessions(std::vector<AgentEndpoint> agents, FleetOptions options) : options_(std::move(options)) {
  const auto observers =
      std::stable_partition(agents.begin(), agents.end(), [](const AgentEndpoint& agent) { return !agent.observer; });
  load_size_ = static_cast<size_t>(observers - agents.begin());
  for (AgentEndpoint& agent : agents) agents_.push_back({.endpoint = std::move(agent), .session = nullptr});
}

FleetSessions::~FleetSessions() { Close().IgnoreError(); }

const std::string& FleetSessions::name(size_t agent) const { return NameOf(agents_[agent].endpoint); }

absl::Status FleetSessions::CheckStatus(const AgentEndpoint& endpoint, const absl::StatusOr<v1::AgentStatus>& status,
                                        const v1::OpenSession& open) const {
  const std::string& name = NameOf(endpoint);
  CREST_RETURN_IF_ERROR(status.status());
  if (status->protocol_version() != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": speaks protocol ", status->protocol_version(),
                                                      " (crest ", status->host().crest_version(), "), this prime ",
                                                      kProtocolVersion, " (crest ", open.crest_version(),
                                                      "); install the same version on all hosts"));
  }
  if (!status->holder().empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": is busy: ", status->holder(), " has held it for ",
                     crest::FormatDuration(absl::Seconds(std::max(0.0, status->held_seconds()))),
                     "; wait until that run ends, or use another agent"));
  }
  if (endpoint.observer) return absl::OkStatus();
  return CheckCapabilities(name, *status, {open.target().begin(), open.target().end()}, open.workload());
}

absl::StatusOr<std::vector<v1::HostInfo>> FleetSessions::Open(const v1::OpenSession& open) {
  std::vector<AgentEndpoint> endpoints;
  std::vector<absl::StatusOr<std::unique_ptr<v1::Agent::Stub>>> stubs;
  for (const Agent& agent : agents_) {
    endpoints.push_back(agent.endpoint);
    stubs.push_back(Dial(agent.endpoint, options_.tls));
  }
  const auto answers = QueryStubs(endpoints, stubs, options_, [this] { return interrupted(); });
  for (size_t i = 0; i < size(); ++i) CREST_RETURN_IF_ERROR(CheckStatus(endpoints[i], answers[i], open));

  for (size_t i = 0; i < size(); ++i) {
    Agent& agent = agents_[i];
    agent.session = AgentSession::Start(*std::move(stubs[i]), i, inbox_);
    agent.present = true;
    v1::PrimeMessage message;
    *message.mutable_open() = open;
    message.mutable_open()->set_protocol_version(kProtocolVersion);
    *message.mutable_open()->mutable_lease() =
        google::protobuf::util::TimeUtil::NanosecondsToDuration(absl::ToInt64Nanoseconds(options_.lease));
    if (IsObserver(i)) {
      message.mutable_open()->set_observer(true);
      message.mutable_open()->clear_target();
      message.mutable_open()->clear_workload();
      message.mutable_open()->clear_stream_count();
    } else {
      message.mutable_open()->set_agent_index(static_cast<uint32_t>(i));
      message.mutable_open()->set_agent_count(static_cast<uint32_t>(load_size_));
    }
    agent.session->Send(std::move(message));
  }
  beats_ = std::thread([this] { KeepAlive(); });

  std::vector<v1::HostInfo> hosts(size());
  FleetStep step = StepFor("opening the session", options_.open_timeout);
  step.needs_observers = true;
  CREST_RETURN_IF_ERROR(Wait(step, [&](size_t i, const v1::AgentMessage& message, MonoTime) -> absl::StatusOr<bool> {
    if (!message.has_opened()) return false;
    if (message.opened().protocol_version() != kProtocolVersion) {
      return absl::FailedPreconditionError("speaks another protocol; install the same version of crest on all hosts");
    }
    hosts[i] = message.opened().host();
    hosts[i].set_agent_address(name(i));
    agents_[i].opened = true;
    return true;
  }));
  return hosts;
}

void FleetSessions::Send(size_t agent, const v1::PrimeMessage& message) {
  if (!agents_[agent].present) return;
  if (IsObserver(agent) && message.has_start_point() && std::exchange(agents_[agent].in_point, true)) return;
  agents_[agent].session->Send(message);
}

void FleetSessions::SendToAll(const v1::PrimeMessage& message) {
  for (size_t i = 0; i < size(); ++i) Send(i, message);
}

FleetStep FleetSessions::StepFor(std::string name, absl::Duration length) const {
  FleetStep step{.name = std::move(name), .pending = {}, .deadline = {}};
  step.deadline.assign(size(), RealClock().Now() + length);
  for (const Agent& agent : agents_) step.pending.push_back(agent.present);
  return step;
}

bool FleetSessions::WaitsForAny(FleetStep& step) const {
  const auto observers = step.pending.begin() + static_cast<std::ptrdiff_t>(load_size_);
  if (std::find(step.pending.begin(), observers, true) != observers) return true;
  if (std::find(observers, step.pending.end(), true) == step.pending.end()) return false;
  if (step.needs_observers) return true;
  const MonoTime now = RealClock().Now();
  if (!step.observers_until) step.observers_until = now + kObserverPatience;
  return now < *step.observers_until;
}

absl::Status FleetSessions::Wait(FleetStep& step, const Handler& handler) {
  const absl::Duration tick = std::min(absl::Milliseconds(200), options_.lease / 8);
  WaitTeller teller(options_.on_wait);
  while (WaitsForAny(step)) {
    const std::optional<AgentEvent> event = inbox_->Pop(RealClock().Now() + tick, !step.winding_down);
    if (!step.winding_down && interrupted()) return absl::CancelledError(absl::StrCat("interrupted while ", step.name));
    if (event) {
      const absl::StatusOr<bool> done = Take(*event, step, handler);
      if (!done.ok() || *done) step.pending[event->agent] = false;
      if (!done.ok() && !step.winding_down && !MayFail(step, event->agent)) return done.status();
    }
    CREST_RETURN_IF_ERROR(FindLate(step));
    if (step.announce) teller.Tell(Names(step.pending), step.name);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FleetSessions::Take(const AgentEvent& event, const FleetStep& step, const Handler& handler) {
  Agent& agent = agents_[event.agent];
  if (event.message == nullptr) {
    agent.ended = true;
    const bool was_present = std::exchange(agent.present, false);
    if (!was_present) return false;  // it was given up before: known
    return Lost(event.agent, step.name, event.ended);
  }
  if (!agent.present || event.message->has_beat()) return false;
  if (event.message->has_point_done() || event.message->has_failure()) agent.in_point = false;
  if (event.message->has_failure()) {
    const v1::Failure& failure = event.message->failure();
    return absl::Status(CodeOf(failure.code()), absl::StrCat(name(event.agent), ": ", failure.message()));
  }
  absl::StatusOr<bool> done = handler(event.agent, *event.message, event.at);
  if (!done.ok()) return Annotate(done.status(), name(event.agent));
  return done;
}

absl::Status FleetSessions::Lost(size_t agent, const std::string& step, const grpc::Status& ended) const {
  if (ended.ok()) {
    return absl::UnavailableError(
        absl::StrCat(name(agent), ": the agent ended its session while ", step, "; its log says why"));
  }
  // Before the session is open, its end is the agent's answer: a refusal in its own words.
  const bool broke =
      ended.error_code() == grpc::StatusCode::UNAVAILABLE || ended.error_code() == grpc::StatusCode::CANCELLED;
  if (!agents_[agent].opened || !broke) return ExplainRpc(name(agent), ended, options_.open_timeout);
  return absl::UnavailableError(absl::StrCat(name(agent), ": the session broke while ", step, " (",
                                             ended.error_message(),
                                             "); the agent ended, or its host or the network failed"));
}

absl::Status FleetSessions::FindLate(FleetStep& step) {
  const MonoTime now = RealClock().Now();
  for (size_t i = 0; i < size(); ++i) {
    if (!agents_[i].present) {
      step.pending[i] = false;
      continue;
    }
    const bool silent = agents_[i].opened && absl::Nanoseconds(now - agents_[i].session->last_heard()) > options_.lease;
    const bool late = step.pending[i] && now > step.deadline[i] && !MayFail(step, i);
    if (!silent && !late) continue;
    step.pending[i] = false;
    CutOff(i);
    if (step.winding_down || MayFail(step, i)) continue;
    if (silent) {
      return absl::UnavailableError(absl::StrCat(
          name(i), ": nothing was heard for ", crest::FormatDuration(options_.lease), " while ", step.name,
          "; the agent is taken for lost. Check that its host is up and not short of CPU, and the network"));
    }
    return absl::DeadlineExceededError(
        absl::StrCat(name(i), ": did not finish in time: ", step.name, "; its log says why"));
  }
  return absl::OkStatus();
}

std::vector<std::string> FleetSessions::Names(const std::vector<bool>& pending) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < size(); ++i) {
    if (pending[i]) names.push_back(name(i));
  }
  return names;
}

void FleetSessions::CutOff(size_t agent) {
  agents_[agent].present = false;
  agents_[agent].session->Cancel();
}

void FleetSessions::KeepAlive() {
  const std::chrono::nanoseconds interval = absl::ToChronoNanoseconds(options_.lease / 3);
  std::unique_lock lock(mutex_);
  while (!stop_changed_.wait_for(lock, interval, [this] { return stop_beating_; })) {
    for (const Agent& agent : agents_) agent.session->SendBeat();
  }
}

bool FleetSessions::AnyOpen() const {
  return std::any_of(agents_.begin(), agents_.end(),
                     [](const Agent& agent) { return agent.session != nullptr && !agent.ended; });
}

absl::Status FleetSessions::Drain(absl::Duration length) {
  absl::Status first_error;
  const FleetStep step{.name = "closing the session", .pending = {}, .deadline = {}};
  const MonoTime deadline = RealClock().Now() + length;
  while (AnyOpen() && RealClock().Now() < deadline) {
    const std::optional<AgentEvent> event = inbox_->Pop(deadline, /*heed_interrupt=*/false);
    if (!event) continue;
    if (event->message == nullptr && event->ended.ok()) {
      agents_[event->agent].present = false;
      agents_[event->agent].ended = true;
      continue;
    }
    first_error.Update(Take(*event, step, [](size_t, const v1::AgentMessage&, MonoTime) { return false; }).status());
  }
  return first_error;
}

absl::Status FleetSessions::Close() {
  if (std::exchange(closed_, true)) return absl::OkStatus();
  v1::PrimeMessage message;
  message.mutable_close();
  for (const Agent& agent : agents_) {
    if (agent.present) agent.session->SendLast(message);
  }
  absl::Status error = Drain(options_.close_timeout);
  for (size_t i = 0; i < size(); ++i) {
    if (agents_[i].session == nullptr || agents_[i].ended) continue;
    CutOff(i);
    error.Update(absl::DeadlineExceededError(absl::StrCat(
        name(i), ": did not clean up within ", crest::FormatDuration(options_.close_timeout), "; it was cut off")));
  }
  // What breaks now was broken off by the lines above.
  Drain(options_.stop_timeout).IgnoreError();
  {
    const std::lock_guard lock(mutex_);
    stop_beating_ = true;
  }
  stop_changed_.notify_one();
  if (beats_.joinable()) beats_.join();
  for (Agent& agent : agents_) {
    // A cancelled call ends at once; should one ever not, gRPC still uses it, and it stays for good.
    if (agent.session != nullptr && !agent.ended) new std::shared_ptr<AgentSession>(agent.session);
    agent.session = nullptr;
  }
  return error;
}

}  // namespace crest
