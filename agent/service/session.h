// One session: the protocol of agent.proto, the lease, and the thread that does the work.
#ifndef CREST_AGENT_SERVICE_SESSION_H_
#define CREST_AGENT_SERVICE_SESSION_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "absl/status/statusor.h"
#include "agent/load/load_session.h"
#include "agent/service/session_observer.h"
#include "agent/service/session_stream.h"
#include "base/clock.h"
#include "crest/v1/agent.pb.h"

namespace crest {

/// Opens the load of a session; LoadSession::Open in production.
using LoadFactory = std::function<absl::StatusOr<std::unique_ptr<LoadSession>>(const v1::OpenSession&)>;

/// What sessions share. What it points to outlives them.
struct SessionContext {
  const Clock* clock = nullptr;
  SessionObserver* observer = nullptr;  // may be nullptr
  /// Says whether the targets are allowed, then opens the load. Blocks.
  LoadFactory open_load;
  /// What this host is. Some milliseconds.
  std::function<v1::HostInfo()> host;
};

/// Messages are judged and answered on gRPC's threads; whatever blocks is done by the one thread in Run. States: new,
/// until OpenSession; opening; idle; preparing or running a point; closing; over. Thread-safe.
class Session final : public StreamListener, public std::enable_shared_from_this<Session> {
 public:
  /// Asks for the agent: OK makes this session its holder and lets somebody call Run; an error is the refusal.
  using Claim = std::function<absl::Status(std::shared_ptr<Session>, const v1::OpenSession&)>;

  Session(const SessionContext& context, std::shared_ptr<SessionStream> stream, Claim claim);

  /// The session's work from OpenSession to its end; returns when the load is stopped and closed. `released` is called
  /// before the prime is told that its session is closed, so that it never finds its own session in the way. Called
  /// once, after a successful claim.
  void Run(const std::function<void()>& released);

  /// Ends the session with UNAVAILABLE: the agent shuts down. Its load is stopped before this returns.
  void Shutdown();

  /// Sends a beat when one is due, ends a session whose lease has lapsed or which was never opened, breaks a stream
  /// that does not end. When to call again at the latest.
  MonoTime Tick(MonoTime now);

  void OnMessage(v1::PrimeMessage message, MonoTime received) override;
  void OnGone() override;

 private:
  enum class State { kNew, kOpening, kIdle, kBusy, kClosing, kOver };
  using Command = std::variant<v1::Prepare, v1::StartPoint>;

  // With mutex_ held. An error ends the session.
  absl::Status Handle(const v1::PrimeMessage& message, MonoTime received);
  absl::Status HandleOpen(const v1::OpenSession& open, MonoTime received);
  absl::Status HandleStartPoint(const v1::StartPoint& start);
  absl::Status Accept(Command command);
  void Renew(MonoTime received);
  void StopLoad();
  void EndLocked(const grpc::Status& status);

  // On the thread of Run.
  absl::Status OpenLoad();
  void Do(const v1::Prepare& prepare);
  void Do(const v1::StartPoint& start);
  std::optional<Command> NextCommand();
  void Report(v1::AgentMessage message);
  void FinishCommand(v1::AgentMessage message);
  void CloseLoad();

  const SessionContext context_;
  const std::shared_ptr<SessionStream> stream_;
  const Claim claim_;
  const MonoTime created_;

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kNew;
  bool stopped_ = false;  // LoadSession::Stop was called and Resume not yet
  v1::OpenSession open_;
  std::unique_ptr<LoadSession> load_;
  std::optional<Command> command_;  // not yet begun
  bool prepared_ = false;
  uint32_t last_point_ = 0;
  int64_t lease_ns_ = 0;
  MonoTime lease_until_ = MonoTime::Max();
  MonoTime next_beat_ = MonoTime::Max();
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_SESSION_H_
