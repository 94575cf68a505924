// How far an agent's clock is from prime's, from exchanges of messages (as NTP does: Mills, RFC 5905, section 8).
#ifndef CREST_PRIME_FLEET_CLOCK_ESTIMATOR_H_
#define CREST_PRIME_FLEET_CLOCK_ESTIMATOR_H_

#include <cstdint>
#include <optional>

#include "prime/fleet/fleet.h"

namespace crest {

/// Keeps the exchange with the least round trip: a queue on the way only ever adds. A value.
class ClockEstimator {
 public:
  /// prime sent at `sent_ns` and heard at `heard_ns` of its clock; the agent received and replied at the other two of
  /// its own. Exchanges that cannot be (answered before they were asked) are ignored.
  void Add(int64_t sent_ns, int64_t received_ns, int64_t replied_ns, int64_t heard_ns);

  /// nullopt before the first good exchange.
  const std::optional<ClockEstimate>& best() const { return best_; }

 private:
  std::optional<ClockEstimate> best_;
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_CLOCK_ESTIMATOR_H_
