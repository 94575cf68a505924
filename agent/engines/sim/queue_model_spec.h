// What a sim:// target asks for; docs/simulated-server.md holds the parameters.
#ifndef CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_SPEC_H_
#define CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_SPEC_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "agent/engine/target.h"

namespace crest {

enum class ServiceLaw {
  kFixed,        // every service takes the mean
  kExponential,  // M/M/c under Poisson arrivals
  kLognormal,    // heavy-tailed
};

/// The server stands still for the last `length_ns` of every `every_ns` since its first operation.
struct StallSpec {
  int64_t length_ns = 0;
  int64_t every_ns = 0;
};

/// A cache: the mean service time falls from `cold_ns` as operations are served, its excess by 1/e every `operations`.
struct WarmingSpec {
  int64_t cold_ns = 0;
  double operations = 0;
};

/// A server that has less capacity after an overload: from the arrival that finds more than `queue` operations waiting
/// until `recovery_ns` after the queue was empty again.
struct OverloadSpec {
  uint64_t queue = 0;
  double capacity = 0.8;  // what is left of it
  int64_t recovery_ns = 10'000'000'000;
};

/// Services take `factor` times as long while more than `ops_per_s` arrive.
struct CliffSpec {
  double ops_per_s = 0;
  double factor = 10;
};

struct QueueModelSpec {
  uint32_t servers = 1;
  int64_t service_time_ns = 1'000'000;  // mean
  ServiceLaw law = ServiceLaw::kExponential;
  double variation = 1;  // kLognormal: standard deviation ÷ mean
  std::optional<StallSpec> stall;
  std::optional<WarmingSpec> warming;
  std::optional<OverloadSpec> overload;
  std::optional<CliffSpec> cliff;
};

/// sim://?servers=8&service_time=2ms&law=exponential and more. InvalidArgument names the parameter that is wrong.
absl::StatusOr<QueueModelSpec> ParseQueueModel(const Target& target);

}  // namespace crest

#endif  // CREST_AGENT_ENGINES_SIM_QUEUE_MODEL_SPEC_H_
