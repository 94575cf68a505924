#include "base/clock.h"

#include <time.h>

namespace crest {

MonoTime RealClock::Now() const {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);  // cannot fail with this clock and a valid pointer
  return {t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec};
}

}  // namespace crest
