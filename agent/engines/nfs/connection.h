// One TCP connection to a server, kept up: calls go out at once, answers come back through a listener.
#ifndef CREST_AGENT_ENGINES_NFS_CONNECTION_H_
#define CREST_AGENT_ENGINES_NFS_CONNECTION_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/engine.h"
#include "agent/engines/nfs/arrival_times.h"
#include "agent/engines/nfs/calls.h"
#include "base/clock.h"

namespace crest::nfs {

/// Where a connection leads.
struct Endpoint {
  std::string address;  // numeric: a reconnection never waits for a resolver
  uint16_t port = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
};

/// Which part of an operation a call is. The connection only carries it.
struct CallTag {
  uint32_t slot = 0;
  uint32_t serial = 0;  // of the slot's operation: an answer to an earlier one is late
  Procedure procedure = Procedure::kNull;
  bool path_step = false;  // a LOOKUP on the way to the operation's handle
  bool repeated = false;   // after NFS3ERR_STALE
  ObjectId object;         // path_step: what is looked up
  uint64_t offset = 0;     // READ, WRITE: from the operation's start
  uint32_t count = 0;
};

/// Called from within libnfs: must not send, nor touch the connection.
class CallListener {
 public:
  virtual ~CallListener() = default;
  /// `arrived`: at this host.
  virtual void OnReply(const CallTag& tag, const Reply& reply, MonoTime arrived) = 0;
  /// The call will have no reply: `outcome` is kConnectionLost or one of RpcOutcome.
  virtual void OnNoReply(const CallTag& tag, Outcome outcome) = 0;
};

/// Not thread-safe. Destroying it calls nobody back.
class Connection {
 public:
  Connection(Endpoint endpoint, Clock* clock, CallListener* listener);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits until the connection stands, `deadline` at most.
  absl::Status Open(MonoTime deadline);

  /// A call can be sent now: the connection stands and libnfs has nothing unsent, so that `sent` is true.
  bool CanSend() const { return state_ == State::kReady && !broken_ && !HasUnsent(); }

  /// Sends a call; only when CanSend. Returns the moment right before the write, or MonoTime() when nothing was sent
  /// because the connection broke (the tag's owner is not called back).
  MonoTime Send(const CallArguments& arguments, const CallTag& tag);

  /// For ppoll; the descriptor is -1 while there is none.
  int descriptor() const;
  short events() const;
  /// Handles what ppoll reported; callbacks happen here.
  void Service(short revents);

  /// Gives up a broken connection, begins a new one when it is time. Never blocks; callbacks happen here.
  void Maintain(MonoTime now);
  /// When Maintain wants to be called; MonoTime::Max() while the connection stands.
  MonoTime NextMaintenance() const;
  /// Marks the connection as broken.
  void Break() { broken_ = true; }

  /// Calls without an answer, the late ones too.
  size_t calls_outstanding() const { return calls_.size() - free_calls_.size(); }
  int64_t reconnect_count() const { return reconnect_count_; }

 private:
  enum class State { kDown, kConnecting, kReady };
  struct Call {
    Connection* connection;
    CallTag tag;
  };

  static void OnConnected(rpc_context* rpc, int status, void* data, void* connection);
  static void OnDone(rpc_context* rpc, int status, void* data, void* call);
  bool HasUnsent() const;
  void BeginConnect(MonoTime now);
  void GiveUp(MonoTime now);

  Endpoint endpoint_;
  Clock* clock_;
  CallListener* listener_;
  Context context_;
  State state_ = State::kDown;
  bool broken_ = false;
  bool was_ready_ = false;
  MonoTime next_;  // kDown: when to try again; kConnecting: when to give up
  int64_t backoff_ns_ = 0;
  int64_t reconnect_count_ = 0;
  ArrivalTimes arrival_times_;
  MonoTime arrived_;        // what is being read
  std::deque<Call> calls_;  // addresses stay; grows to the most that were ever outstanding
  std::vector<Call*> free_calls_;
};

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_CONNECTION_H_
