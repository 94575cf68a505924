// A queueing model with a known answer: c servers, one queue, first come first served.
#ifndef CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_
#define CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/engine/target.h"
#include "base/clock.h"
#include "base/random.h"

namespace crest {

enum class ServiceLaw {
  kFixed,        // every service takes the mean
  kExponential,  // M/M/c under Poisson arrivals
};

/// What a sim:// target asks for.
struct QueueModelSpec {
  uint32_t servers = 1;
  int64_t service_time_ns = 1'000'000;  // mean
  ServiceLaw law = ServiceLaw::kExponential;
};

/// sim://?servers=8&service_time=2ms&law=exponential; also `queue=NAME`, which tells queues with equal figures apart.
absl::StatusOr<QueueModelSpec> ParseQueueModel(const Target& target);

/// The queue itself. Since it serves first come first served, the end of a service is known when it arrives; arrivals
/// must come in the order of time. Not thread-safe.
class QueueModel {
 public:
  QueueModel(const QueueModelSpec& spec, uint64_t seed);

  /// When an arrival at `now` is done.
  MonoTime Arrive(MonoTime now);

 private:
  QueueModelSpec spec_;
  Random random_;
  std::vector<MonoTime> free_at_;  // a min-heap: when each server has served what it was given
};

}  // namespace crest

#endif  // CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_H_
