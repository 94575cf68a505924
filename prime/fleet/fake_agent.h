// An agent for tests: a real gRPC server that speaks agent.proto and does what its script says.
#ifndef CREST_PRIME_FLEET_FAKE_AGENT_H_
#define CREST_PRIME_FLEET_FAKE_AGENT_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/version.h"
#include "crest/v1/agent.grpc.pb.h"
#include "grpcpp/server.h"

namespace crest {

/// What goes wrong, and where. The default agent does everything right, and a load point in no time.
struct FakeAgentScript {
  static constexpr int kNever = -1;

  uint32_t protocol_version = kProtocolVersion;
  std::string holder;           // busy: GetStatus names it
  absl::Status open_error;      // refuses OpenSession
  bool answers_status = true;   // false: GetStatus hangs until it is cancelled
  bool answers_open = true;     // false: OpenSession is never answered
  bool beats = true;            // false: says nothing unasked
  std::string scheme = "null";  // of its one engine
  std::vector<v1::OperationKind> operations = {v1::OPERATION_GETATTR, v1::OPERATION_READ};
  int64_t clock_skew_ns = 0;   // its clock − the host's
  absl::Duration probe_delay;  // before each ClockProbe is taken: an asymmetric path
  absl::Status prepare_error;
  bool answers_prepare = true;           // false: reports progress once, then nothing
  absl::Status point_error;              // once the load point has begun
  int hold_after_intervals = kNever;     // waits for StopPoint there
  int die_after_intervals = kNever;      // breaks the stream there
  int silent_after_intervals = kNever;   // says nothing more from there on, not even beats
  bool answers_stop = true;              // false: a stopped load point is never reported done
  bool answers_close = true;             // false: CloseSession is never followed by the stream's end
  std::function<void(int)> on_interval;  // called before each interval report is sent, with the number sent before
};

/// Listens from construction to destruction on a free port of 127.0.0.1. Thread-safe.
class FakeAgent {
 public:
  explicit FakeAgent(FakeAgentScript script = {});
  ~FakeAgent();

  const std::string& address() const { return address_; }

  /// All that it was sent, in order.
  std::vector<v1::PrimeMessage> received() const;
  /// How many of them are of this kind.
  int Count(v1::PrimeMessage::MessageCase kind) const;
  /// Sessions that are open now.
  int open_sessions() const;
  /// Until no session is open; false after a long while.
  bool AwaitNoSession() const;

 private:
  class Service;
  class Conversation;

  const FakeAgentScript script_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  std::vector<v1::PrimeMessage> received_;
  int open_sessions_ = 0;
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_FAKE_AGENT_H_
