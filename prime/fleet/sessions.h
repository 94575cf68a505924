// The sessions of all agents: opened together, kept alive by beats, waited for by name, closed in bounded time.
#ifndef CREST_PRIME_FLEET_SESSIONS_H_
#define CREST_PRIME_FLEET_SESSIONS_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "prime/fleet/fleet.h"
#include "prime/fleet/inbox.h"
#include "prime/fleet/session.h"

namespace crest {

/// What agents are waited for to do.
struct FleetStep {
  std::string name;                // "opening the session"
  std::vector<bool> pending;       // agents that have not done it
  std::vector<MonoTime> deadline;  // of each agent; a handler may move it
  /// Winding down: an interrupt is not heeded, and an agent that fails or is lost is no longer waited for.
  bool winding_down = false;
  bool announce = true;  // say whom it waits for; false where progress of its own is shown
  /// Observers are waited for like others, and their errors count; otherwise neither.
  bool needs_observers = false;
  std::optional<MonoTime> observers_until = std::nullopt;  // set once all others are done
};

/// Driven by one thread; Interrupt may be called by any.
class FleetSessions {
 public:
  /// Takes one message of one agent: true when the agent has done its part.
  using Handler = std::function<absl::StatusOr<bool>(size_t agent, const v1::AgentMessage& message, MonoTime at)>;

  FleetSessions(std::vector<AgentEndpoint> agents, FleetOptions options);
  ~FleetSessions();

  size_t size() const { return agents_.size(); }
  /// How many of them send load. They come first, observers after them.
  size_t load_size() const { return load_size_; }
  const std::string& name(size_t agent) const;
  /// False once the agent's stream has ended or it was given up.
  bool present(size_t agent) const { return agents_[agent].present; }

  /// Asks for status, checks it, opens all sessions; one HostInfo an agent.
  absl::StatusOr<std::vector<v1::HostInfo>> Open(const v1::OpenSession& open);

  /// Dropped for an agent that is not present, and a StartPoint for an observer that has not ended its last one.
  void Send(size_t agent, const v1::PrimeMessage& message);
  void SendToAll(const v1::PrimeMessage& message);

  /// A step of all present agents, `length` from now on for each.
  FleetStep StepFor(std::string name, absl::Duration length) const;

  /// Gives messages to `handler` until it has said true once for every pending agent; observers get a moment more than
  /// the slowest of the others. Errors name the agent: Cancelled
  /// after Interrupt, Unavailable for one that was lost, DeadlineExceeded for one that is late, what it said for one
  /// that failed.
  absl::Status Wait(FleetStep& step, const Handler& handler);

  /// Breaks an agent's session: it is no longer present.
  void CutOff(size_t agent);

  void Interrupt() { inbox_->Interrupt(); }
  bool interrupted() const { return inbox_->interrupted(); }

  /// Closes the sessions that there are; waits for their ends up to the close time-out. Only the first call does it.
  absl::Status Close();

 private:
  struct Agent {
    AgentEndpoint endpoint;
    std::shared_ptr<AgentSession> session;  // nullptr: not opened
    bool present = false;
    bool opened = false;    // from here on its silence counts
    bool ended = false;     // its stream's end was seen
    bool in_point = false;  // an observer: it was sent a StartPoint and has not said that it ended
  };

  bool IsObserver(size_t agent) const { return agent >= load_size_; }
  bool MayFail(const FleetStep& step, size_t agent) const { return IsObserver(agent) && !step.needs_observers; }
  bool WaitsForAny(FleetStep& step) const;
  absl::Status CheckStatus(const AgentEndpoint& endpoint, const absl::StatusOr<v1::AgentStatus>& status,
                           const v1::OpenSession& open) const;
  absl::Status Lost(size_t agent, const std::string& step, const grpc::Status& ended) const;
  absl::StatusOr<bool> Take(const AgentEvent& event, const FleetStep& step, const Handler& handler);
  absl::Status FindLate(FleetStep& step);
  std::vector<std::string> Names(const std::vector<bool>& pending) const;
  bool AnyOpen() const;
  /// Takes what still arrives until all streams have ended or `length` is over. The first error.
  absl::Status Drain(absl::Duration length);
  void KeepAlive();

  const FleetOptions options_;
  std::vector<Agent> agents_;
  size_t load_size_ = 0;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  bool closed_ = false;

  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_beating_ = false;  // guarded by mutex_
  std::thread beats_;          // on its own, so that nothing that blocks can cost the lease
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_SESSIONS_H_
