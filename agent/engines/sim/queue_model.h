// A queueing model with a known answer: c servers, one queue, first come first served; and what real servers add to it.
#ifndef CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_
#define CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "agent/engines/sim/queue_model_spec.h"
#include "base/clock.h"
#include "base/random.h"

namespace crest {

/// When `work_ns` > 0 of work, begun at `start`, is done by a server that stalls and whose first operation came at
/// `epoch`. Work goes on after a stall where it was. O(1).
MonoTime EndOfWork(const StallSpec& stall, MonoTime epoch, MonoTime start, int64_t work_ns);

/// What multiplies a service time under a law: mean 1. `variation` is of kLognormal alone.
double DrawService(ServiceLaw law, double variation, Random& random);

/// Mean service time once `served` operations have been, ns.
double MeanServiceNs(const WarmingSpec& warming, double warm_ns, double served);

/// Tells whether a server is overloaded, from its arrivals.
class OverloadWatch {
 public:
  explicit OverloadWatch(const OverloadSpec& spec) : spec_(spec) {}
  /// Whether the server is overloaded for an operation that arrives at `now`.
  bool Arrive(MonoTime now);
  /// That operation's service begins at `start`; never before that of an earlier one.
  void Begins(MonoTime start) { starts_.push_back(start); }

 private:
  OverloadSpec spec_;
  std::deque<MonoTime> starts_;  // of the operations that wait
  MonoTime last_start_;          // of those that no longer do
  bool overloaded_ = false;
  std::optional<MonoTime> drained_;  // when the queue was first empty after the overload
};

/// The rate of arrivals of the last second or so: each counts with weight e^(−age ÷ 1 s). Under a steady rate it is
/// that rate, with a standard deviation of √(rate ÷ 2) where the arrivals are Poisson's.
class ArrivalRate {
 public:
  /// The rate just before the arrival at `now`, operations a second.
  double Arrive(MonoTime now);

 private:
  MonoTime last_;
  double rate_ = 0;
};

/// The queue itself. Since it serves first come first served, the end of a service is known when it arrives; arrivals
/// must come in the order of time. What an operation's service takes is settled by the state of the server when it
/// arrives. Not thread-safe.
class QueueModel {
 public:
  QueueModel(const QueueModelSpec& spec, uint64_t seed);

  /// When an arrival at `now` is done.
  MonoTime Arrive(MonoTime now);

 private:
  int64_t ServiceNs(MonoTime now);

  QueueModelSpec spec_;
  Random random_;
  std::vector<MonoTime> free_at_;  // a min-heap: when each server has served what it was given
  std::optional<MonoTime> epoch_;  // the first arrival
  double served_ = 0;
  std::optional<OverloadWatch> overload_;
  ArrivalRate arrival_rate_;
};

}  // namespace crest

#endif  // CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_
