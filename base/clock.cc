#include "base/clock.h"

#include <errno.h>
#include <time.h>

namespace crest {

MonoTime RealClock::Now() const {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);  // cannot fail with this clock and a valid pointer
  return {t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec};
}

void RealClock::SleepUntil(MonoTime t) {
  const timespec until{t.ns / 1'000'000'000, t.ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace crest
