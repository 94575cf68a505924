#include "agent/service/agent_service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agent/engine/registry.h"
#include "base/status.h"
#include "base/units.h"
#include "base/version.h"

namespace crest {
namespace {

constexpr int64_t kMaxTickNs = 1'000'000'000;
constexpr int64_t kMinTickNs = 10'000'000;

SessionContext ContextOf(const AgentServiceOptions& options, std::function<v1::HostInfo()> host) {
  SessionContext context;
  context.clock = options.clock;
  context.observer = options.observer;
  context.host = std::move(host);
  context.open_load = [&options](const v1::OpenSession& open) -> absl::StatusOr<std::unique_ptr<LoadSession>> {
    // An observer touches no target.
    if (open.observer()) return options.open_load(open);
    for (const std::string& target : open.target()) CREST_RETURN_IF_ERROR(options.allowed.Check(target));
    return options.open_load(open);
  };
  return context;
}

}  // namespace

std::vector<v1::EngineInfo> DescribeEngines() {
  std::vector<v1::EngineInfo> engines;
  for (const EngineType* type : EngineTypes()) {
    v1::EngineInfo info;
    info.set_scheme(std::string(type->scheme));
    for (const v1::OperationKind operation : type->operations) info.add_operations(operation);
    info.set_simulated(type->simulated);
    engines.push_back(std::move(info));
  }
  return engines;
}

AgentService::AgentService(AgentServiceOptions options)
    : options_(std::move(options)),
      engines_(DescribeEngines()),
      worker_([this] { Work(); }),
      keeper_([this] { Keep(); }) {
  RefreshHost();
}

AgentService::~AgentService() {
  Shutdown(absl::ZeroDuration());
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    changed_.notify_all();
  }
  worker_.join();
  keeper_.join();
}

grpc::ServerUnaryReactor* AgentService::GetStatus(grpc::CallbackServerContext* context, const v1::GetStatusRequest*,
                                                  v1::AgentStatus* response) {
  response->set_protocol_version(kProtocolVersion);
  response->mutable_engines()->Assign(engines_.begin(), engines_.end());
  const std::vector<std::string>& allowed = options_.allowed.prefixes();
  response->mutable_allowed()->Assign(allowed.begin(), allowed.end());
  {
    const std::lock_guard lock(mutex_);
    *response->mutable_host() = host_;
    if (holder_) {
      response->set_holder(holder_->name);
      response->set_held_seconds(static_cast<double>(options_.clock->Now() - holder_->since_mono) * 1e-9);
    }
  }
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerBidiReactor<v1::PrimeMessage, v1::AgentMessage>* AgentService::Session(
    grpc::CallbackServerContext* context) {
  auto stream = std::make_shared<SessionStream>(context, options_.clock);
  auto session =
      std::make_shared<crest::Session>(ContextOf(options_, [this] { return RefreshHost(); }), stream,
                                       [this](std::shared_ptr<crest::Session> self, const v1::OpenSession& open) {
                                         return Claim(std::move(self), open);
                                       });
  bool too_many = false;
  bool shutting_down = false;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const std::weak_ptr<crest::Session>& old) { return old.expired(); });
    too_many = sessions_.size() >= kMaxStreams;
    shutting_down = shutting_down_;
    if (!too_many) sessions_.push_back(session);
    keep_changed_ = true;
    changed_.notify_all();
  }
  stream->Start(stream, session);
  if (too_many)
    stream->End({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many sessions knock at this agent; try again later"});
  if (shutting_down) session->Shutdown();
  return stream.get();
}

absl::Status AgentService::Claim(std::shared_ptr<crest::Session> session, const v1::OpenSession& open) {
  const std::lock_guard lock(mutex_);
  if (shutting_down_) return absl::UnavailableError("the agent is shutting down");
  const MonoTime now = options_.clock->Now();
  if (holder_) {
    return absl::FailedPreconditionError(
        absl::StrCat("busy: held by ", holder_->name, " since ",
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", holder_->since, absl::UTCTimeZone()), " (",
                     crest::FormatDuration(absl::Nanoseconds(now - holder_->since_mono)),
                     "); wait until that run ends, or use another agent"));
  }
  const std::string prime = open.prime().empty() ? "a prime" : open.prime();
  holder_ = Holder{open.run_id().empty() ? prime : absl::StrCat(prime, " (run ", open.run_id(), ")"), absl::Now(), now};
  claimed_ = std::move(session);
  keep_changed_ = true;  // its first beat is due sooner than the keeper thinks
  changed_.notify_all();
  return absl::OkStatus();
}

void AgentService::Release() {
  const std::lock_guard lock(mutex_);
  holder_.reset();
  changed_.notify_all();
}

v1::HostInfo AgentService::RefreshHost() {
  v1::HostInfo host = options_.host();
  host.set_crest_version(kVersion);
  const std::lock_guard lock(mutex_);
  host_ = host;
  return host;
}

std::vector<std::shared_ptr<crest::Session>> AgentService::LiveSessions() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<crest::Session>> live;
  for (const std::weak_ptr<crest::Session>& session : sessions_) {
    if (std::shared_ptr<crest::Session> one = session.lock()) live.push_back(std::move(one));
  }
  return live;
}

void AgentService::Work() {
  while (true) {
    std::shared_ptr<crest::Session> session;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return claimed_ != nullptr || quit_; });
      if (claimed_ == nullptr) return;
      session = std::move(claimed_);
    }
    session->Run([this] { Release(); });
  }
}

void AgentService::Keep() {
  while (true) {
    MonoTime next = options_.clock->Now() + kMaxTickNs;
    for (const std::shared_ptr<crest::Session>& session : LiveSessions()) {
      next = std::min(next, session->Tick(options_.clock->Now()));
    }
    const auto wait = std::chrono::nanoseconds(std::clamp(next - options_.clock->Now(), kMinTickNs, kMaxTickNs));
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return std::exchange(keep_changed_, false) || quit_; });
    if (quit_) return;
  }
}

bool AgentService::Shutdown(absl::Duration timeout) {
  {
    const std::lock_guard lock(mutex_);
    shutting_down_ = true;
  }
  for (const std::shared_ptr<crest::Session>& session : LiveSessions()) session->Shutdown();
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout), [this] { return !holder_; });
}

}  // namespace crest
