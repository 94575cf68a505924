#include "prime/fleet/inbox.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace crest {

void Inbox::Push(AgentEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_one();
}

std::optional<AgentEvent> Inbox::Pop(MonoTime deadline, bool heed_interrupt) {
  const std::chrono::nanoseconds wait(std::max<int64_t>(0, deadline - RealClock().Now()));
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return !events_.empty() || (heed_interrupt && interrupted_); });
  if (events_.empty() || (heed_interrupt && interrupted_)) return std::nullopt;
  AgentEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Inbox::Interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  changed_.notify_one();
}

bool Inbox::interrupted() const {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

}  // namespace crest
