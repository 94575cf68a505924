// The transport of one session: what arrives is handed on at once, what is sent leaves in order.
#ifndef CREST_AGENT_SERVICE_SESSION_STREAM_H_
#define CREST_AGENT_SERVICE_SESSION_STREAM_H_

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "crest/v1/agent.grpc.pb.h"
#include "grpcpp/grpcpp.h"

namespace crest {

/// What hears a stream. Called on gRPC's threads, which must never be blocked, without any lock of the stream's.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// In the order of arrival, one at a time. `received`: when gRPC handed it over.
  virtual void OnMessage(v1::PrimeMessage message, MonoTime received) = 0;
  /// Nothing arrives any more: the prime has closed its half, the stream broke, or it was ended from here. Once or
  /// more.
  virtual void OnGone() = 0;
};

/// Thread-safe. Lives until gRPC is done with it, whoever lets go of it before. std::mutex rather than Abseil's, so
/// that ThreadSanitizer understands it without an instrumented Abseil.
class SessionStream final : public grpc::ServerBidiReactor<v1::PrimeMessage, v1::AgentMessage> {
 public:
  /// Most messages, and most of their bytes, that may wait for a prime that does not read.
  static constexpr size_t kMaxQueued = 1024;
  static constexpr size_t kMaxQueuedBytes = size_t{64} << 20;

  SessionStream(grpc::CallbackServerContext* context, const Clock* clock) : context_(context), clock_(clock) {}

  /// Begins to read. `self` is this stream.
  void Start(std::shared_ptr<SessionStream> self, std::shared_ptr<StreamListener> listener);

  /// Queues a message; a ClockReply is stamped when it leaves. Dropped in silence once the stream has been ended. A
  /// queue that is full ends the stream with RESOURCE_EXHAUSTED.
  void Send(v1::AgentMessage message);
  /// The same, unless others wait to be sent, which tell as much.
  void SendBeat();

  /// Ends the stream once: after what is queued when `status` is OK, after the message that is being written otherwise.
  void End(const grpc::Status& status);
  bool ended() const;
  /// Breaks the stream when it was ended before `before` and the prime has not read it to the end since.
  void CutIfStuck(MonoTime before);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // All with mutex_ held.
  void Enqueue(v1::AgentMessage message);
  void WriteNext();
  void EndLocked(const grpc::Status& status);
  void FinishIfDrained();

  grpc::CallbackServerContext* const context_;
  const Clock* const clock_;

  mutable std::mutex mutex_;
  std::shared_ptr<SessionStream> self_;  // until OnDone
  std::shared_ptr<StreamListener> listener_;
  std::unique_ptr<v1::PrimeMessage> incoming_;  // of the read that is going on
  std::deque<v1::AgentMessage> queue_;          // front: being written while writing_
  size_t queued_bytes_ = 0;
  bool writing_ = false;
  bool broken_ = false;              // nothing can be written any more
  std::optional<grpc::Status> end_;  // how the stream is to end
  MonoTime ended_at_;
  bool finished_ = false;  // Finish was called
  bool done_ = false;      // context_ may be gone
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_SESSION_STREAM_H_
