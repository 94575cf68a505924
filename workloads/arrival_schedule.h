// WHEN: the due times of one stream's operations.
#ifndef CREST_WORKLOADS_ARRIVAL_SCHEDULE_H_
#define CREST_WORKLOADS_ARRIVAL_SCHEDULE_H_

#include <cstdint>

#include "base/random.h"
#include "crest/v1/spec.pb.h"

namespace crest {

/// Yields the offsets, in ns from the start of the load point, at which one stream's arrivals are due. Held in fixed
/// point with 32 fractional bits, so that no rounding accumulates: after n uniform arrivals the error is below
/// n × 2^-33 ns. A value of a few words (an agent may hold 100,000). Not thread-safe.
class ArrivalSchedule {
 public:
  /// `rate_per_s` of this stream, > 0. Stream s starts at frac(s·φ) of its interval (φ the golden ratio), so that the
  /// streams of all agents together are as even as can be; Poisson and jittered streams draw from (seed, stream,
  /// point).
  ArrivalSchedule(v1::Arrivals law, double rate_per_s, uint64_t seed, uint32_t stream, uint32_t point);

  /// The due offset of the current arrival, ns.
  int64_t due_ns() const { return static_cast<int64_t>(due_q32_ >> 32); }
  /// Moves to the next arrival.
  void Advance();

 private:
  using Fixed = unsigned __int128;

  Fixed due_q32_ = 0;
  Fixed interval_q32_;
  Fixed next_interval_q32_;  // jittered: where the interval after the current arrival's begins
  Random random_;
  v1::Arrivals law_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_ARRIVAL_SCHEDULE_H_
