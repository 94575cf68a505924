// One agent's session stream.
#ifndef CREST_PRIME_FLEET_SESSION_H_
#define CREST_PRIME_FLEET_SESSION_H_

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "crest/v1/agent.grpc.pb.h"
#include "prime/fleet/inbox.h"

namespace crest {

/// Sends without blocking; what arrives goes to the inbox, the end of the stream as its last event. Thread-safe, but
/// let go of it only after that last event and never on a thread of gRPC's. Not destroyed before the stream has ended.
class AgentSession final : private grpc::ClientBidiReactor<v1::PrimeMessage, v1::AgentMessage> {
 public:
  static std::shared_ptr<AgentSession> Start(std::unique_ptr<v1::Agent::Stub> stub, size_t agent,
                                             std::shared_ptr<Inbox> inbox);

  /// Dropped in silence once the stream has ended: the inbox says so.
  void Send(v1::PrimeMessage message);
  /// A beat, unless older messages still wait to be sent: they are a sign of life, too.
  void SendBeat();
  /// The last message; then the agent ends the stream.
  void SendLast(v1::PrimeMessage message);
  /// Breaks the stream at once. The agent stops its load when it notices.
  void Cancel();

  /// When the last message arrived; at first, when the session started.
  MonoTime last_heard() const { return {last_heard_ns_.load(std::memory_order_relaxed)}; }

 private:
  AgentSession(std::unique_ptr<v1::Agent::Stub> stub, size_t agent, std::shared_ptr<Inbox> inbox);

  void Begin(std::shared_ptr<AgentSession> self);
  // Both with mutex_ held.
  void Enqueue(v1::PrimeMessage message, bool last);
  void WriteNext();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  const std::unique_ptr<v1::Agent::Stub> stub_;
  const size_t agent_;
  const std::shared_ptr<Inbox> inbox_;
  grpc::ClientContext context_;
  std::atomic<int64_t> last_heard_ns_;
  std::unique_ptr<v1::AgentMessage> reading_;  // of the read that is going on; touched by reactions alone

  std::mutex mutex_;                     // guards what follows
  std::shared_ptr<AgentSession> self_;   // until OnDone
  std::deque<v1::PrimeMessage> outbox_;  // front: being written
  bool open_ = true;                     // false: no write may be started any more
  bool last_queued_ = false;
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_SESSION_H_
