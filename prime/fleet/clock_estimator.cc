#include "prime/fleet/clock_estimator.h"

namespace crest {

void ClockEstimator::Add(int64_t sent_ns, int64_t received_ns, int64_t replied_ns, int64_t heard_ns) {
  const int64_t round_trip = (heard_ns - sent_ns) - (replied_ns - received_ns);
  if (heard_ns < sent_ns || replied_ns < received_ns || round_trip < 0) return;
  // Rounded up: the bound must hold.
  const int64_t bound = (round_trip + 1) / 2;
  if (best_ && best_->bound_ns <= bound) return;
  // The request took between 0 and the whole round trip; the middle is wrong by half of it at most.
  best_ = ClockEstimate{.offset_ns = (received_ns - sent_ns) - round_trip / 2, .bound_ns = bound};
}

}  // namespace crest
