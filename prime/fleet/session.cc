#include "prime/fleet/session.h"

#include <utility>

namespace crest {

std::shared_ptr<AgentSession> AgentSession::Start(std::unique_ptr<v1::Agent::Stub> stub, size_t agent,
                                                  std::shared_ptr<Inbox> inbox) {
  std::shared_ptr<AgentSession> session(new AgentSession(std::move(stub), agent, std::move(inbox)));
  session->Begin(session);
  return session;
}

AgentSession::AgentSession(std::unique_ptr<v1::Agent::Stub> stub, size_t agent, std::shared_ptr<Inbox> inbox)
    : stub_(std::move(stub)), agent_(agent), inbox_(std::move(inbox)), last_heard_ns_(RealClock().Now().ns) {}

void AgentSession::Begin(std::shared_ptr<AgentSession> self) {
  {
    const std::lock_guard lock(mutex_);
    self_ = std::move(self);
  }
  stub_->async()->Session(&context_, this);
  // Writes are started from outside reactions: the hold keeps OnDone away until none can be any more.
  AddHold();
  reading_ = std::make_unique<v1::AgentMessage>();
  StartRead(reading_.get());
  StartCall();
}

void AgentSession::Send(v1::PrimeMessage message) {
  const std::lock_guard lock(mutex_);
  Enqueue(std::move(message), /*last=*/false);
}

void AgentSession::SendBeat() {
  v1::PrimeMessage message;
  message.mutable_beat();
  const std::lock_guard lock(mutex_);
  if (outbox_.empty()) Enqueue(std::move(message), /*last=*/false);
}

void AgentSession::SendLast(v1::PrimeMessage message) {
  const std::lock_guard lock(mutex_);
  Enqueue(std::move(message), /*last=*/true);
}

void AgentSession::Cancel() { context_.TryCancel(); }

void AgentSession::Enqueue(v1::PrimeMessage message, bool last) {
  if (!open_ || last_queued_) return;
  last_queued_ = last;
  outbox_.push_back(std::move(message));
  if (outbox_.size() == 1) WriteNext();
}

void AgentSession::WriteNext() {
  if (last_queued_ && outbox_.size() == 1) {
    StartWriteLast(&outbox_.front(), grpc::WriteOptions());
  } else {
    StartWrite(&outbox_.front());
  }
}

void AgentSession::OnReadDone(bool ok) {
  if (!ok) {
    const std::lock_guard lock(mutex_);
    open_ = false;
    RemoveHold();
    return;
  }
  const MonoTime now = RealClock().Now();
  last_heard_ns_.store(now.ns, std::memory_order_relaxed);
  // Before the next read begins: its reaction may run at once, on another thread, and messages must keep their order.
  inbox_->Push({.agent = agent_, .at = now, .message = std::move(reading_), .ended = {}});
  reading_ = std::make_unique<v1::AgentMessage>();
  StartRead(reading_.get());
}

void AgentSession::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  outbox_.pop_front();
  if (!ok) {
    outbox_.clear();
    last_queued_ = true;  // the stream is broken: the end of reading follows
  } else if (!outbox_.empty() && open_) {
    WriteNext();
  }
}

void AgentSession::OnDone(const grpc::Status& status) {
  // Whoever waits for the end still holds this session then, so it is destroyed on their thread: gRPC cannot bear that
  // a channel ends on one of its own.
  const std::shared_ptr<Inbox> inbox = inbox_;
  AgentEvent event{.agent = agent_, .at = RealClock().Now(), .message = nullptr, .ended = status};
  std::shared_ptr<AgentSession> self;
  {
    const std::lock_guard lock(mutex_);
    self = std::move(self_);
  }
  self.reset();
  inbox->Push(std::move(event));
}

}  // namespace crest
