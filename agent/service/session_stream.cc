#include "agent/service/session_stream.h"

#include <algorithm>
#include <utility>

namespace crest {

void SessionStream::Start(std::shared_ptr<SessionStream> self, std::shared_ptr<StreamListener> listener) {
  const std::lock_guard lock(mutex_);
  self_ = std::move(self);
  listener_ = std::move(listener);
  incoming_ = std::make_unique<v1::PrimeMessage>();
  StartRead(incoming_.get());
}

void SessionStream::Send(v1::AgentMessage message) {
  const std::lock_guard lock(mutex_);
  Enqueue(std::move(message));
}

void SessionStream::SendBeat() {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) return;
  v1::AgentMessage message;
  message.mutable_beat();
  Enqueue(std::move(message));
}

void SessionStream::Enqueue(v1::AgentMessage message) {
  if (end_ || broken_ || self_ == nullptr) return;
  const size_t bytes = message.ByteSizeLong();
  if (queue_.size() >= kMaxQueued || queued_bytes_ + bytes > kMaxQueuedBytes) {
    EndLocked({grpc::StatusCode::RESOURCE_EXHAUSTED,
               "the prime does not read what the agent reports; check that it is not stopped or short of CPU"});
    return;
  }
  queued_bytes_ += bytes;
  queue_.push_back(std::move(message));
  WriteNext();
}

void SessionStream::WriteNext() {
  if (writing_ || broken_ || queue_.empty()) return;
  writing_ = true;
  v1::AgentMessage& message = queue_.front();
  if (message.has_clock_reply()) message.mutable_clock_reply()->set_replied_ns(clock_->Now().ns);
  StartWrite(&message);
}

void SessionStream::End(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  EndLocked(status);
}

void SessionStream::EndLocked(const grpc::Status& status) {
  if (end_) return;
  end_ = status;
  ended_at_ = clock_->Now();
  if (!status.ok() && !queue_.empty()) queue_.erase(queue_.begin() + (writing_ ? 1 : 0), queue_.end());
  FinishIfDrained();
}

void SessionStream::FinishIfDrained() {
  if (!end_ || finished_ || writing_ || (!queue_.empty() && !broken_) || self_ == nullptr) return;
  finished_ = true;
  Finish(*end_);
}

bool SessionStream::ended() const {
  const std::lock_guard lock(mutex_);
  return end_.has_value();
}

void SessionStream::CutIfStuck(MonoTime before) {
  const std::lock_guard lock(mutex_);
  if (end_ && !done_ && ended_at_ < before) context_->TryCancel();
}

void SessionStream::OnReadDone(bool ok) {
  const MonoTime received = clock_->Now();
  std::unique_ptr<v1::PrimeMessage> message;
  std::shared_ptr<StreamListener> listener;
  {
    const std::lock_guard lock(mutex_);
    message = std::move(incoming_);
    listener = listener_;
  }
  if (!ok) return listener->OnGone();
  listener->OnMessage(std::move(*message), received);
  // Only now: so messages are heard one at a time, and a prime that floods is held back by flow control.
  const std::lock_guard lock(mutex_);
  if (end_) return;
  incoming_ = std::make_unique<v1::PrimeMessage>();
  StartRead(incoming_.get());
}

void SessionStream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  queued_bytes_ -= std::min(queued_bytes_, queue_.front().ByteSizeLong());
  queue_.pop_front();
  if (queue_.empty()) queued_bytes_ = 0;
  if (!ok) broken_ = true;
  WriteNext();
  FinishIfDrained();
}

void SessionStream::OnCancel() {
  std::shared_ptr<StreamListener> listener;
  {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    listener = listener_;
    EndLocked({grpc::StatusCode::CANCELLED, "the session was cancelled"});
    FinishIfDrained();
  }
  if (listener != nullptr) listener->OnGone();
}

void SessionStream::OnDone() {
  std::shared_ptr<SessionStream> self;
  std::shared_ptr<StreamListener> listener;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    self = std::move(self_);
    listener = std::move(listener_);
  }
  if (listener != nullptr) listener->OnGone();
}

}  // namespace crest
