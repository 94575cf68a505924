// Where the messages of all agents meet the one thread that drives the fleet.
#ifndef CREST_PRIME_FLEET_INBOX_H_
#define CREST_PRIME_FLEET_INBOX_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "crest/v1/agent.pb.h"
#include "grpcpp/support/status.h"

namespace crest {

/// A message of an agent, or the end of its stream.
struct AgentEvent {
  size_t agent = 0;
  MonoTime at;                                // when it arrived, on prime's clock
  std::unique_ptr<v1::AgentMessage> message;  // nullptr: the stream ended
  grpc::Status ended;                         // how
};

/// Thread-safe. std::mutex rather than Abseil's, here and in the rest of this folder: ThreadSanitizer does not see
/// through a packaged Abseil.
class Inbox {
 public:
  void Push(AgentEvent event);

  /// The oldest event; nullopt at `deadline`, and at once after Interrupt where that is heeded.
  std::optional<AgentEvent> Pop(MonoTime deadline, bool heed_interrupt);

  void Interrupt();
  bool interrupted() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<AgentEvent> events_;
  bool interrupted_ = false;
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_INBOX_H_
