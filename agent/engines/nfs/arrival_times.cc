#include "agent/engines/nfs/arrival_times.h"

#include <sys/socket.h>
#include <time.h>

#include <cstring>

namespace crest::nfs {
namespace {

constexpr size_t kMostWaiting = 256 << 10;

int64_t ToNs(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

void ArrivalTimes::Enable(int descriptor) {
  const int on = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0) unused_.reset(new char[kMostWaiting]);
}

MonoTime ArrivalTimes::OfWaiting(int descriptor, const Clock& clock) {
  const MonoTime previous = previous_;
  if (unused_ == nullptr) return previous_ = clock.Now();
  iovec buffer{.iov_base = unused_.get(), .iov_len = kMostWaiting};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  msghdr message{};
  message.msg_iov = &buffer;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  // MSG_TRUNC: walk over all that waits and copy none of it (tcp(7)).
  const ssize_t waiting = recvmsg(descriptor, &message, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const MonoTime now = previous_ = clock.Now();
  if (waiting <= 0 || static_cast<size_t>(waiting) == kMostWaiting) return now;
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
    const int64_t age_ns = ToNs(wall) - ToNs(stamp);
    // Time stamps are of the wall clock, which may have been set in between.
    if (age_ns >= 0 && age_ns <= now - previous) return now + -age_ns;
  }
  return now;
}

}  // namespace crest::nfs
