// A whole fleet in virtual time: the generators that agents run and the merging that prime does, without the wire
// between.
#ifndef CREST_TESTS_SIMULATION_SIMULATED_FLEET_H_
#define CREST_TESTS_SIMULATION_SIMULATED_FLEET_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "agent/engine/engine.h"
#include "agent/load/generator.h"
#include "base/clock.h"
#include "crest/v1/result.pb.h"
#include "crest/v1/spec.pb.h"

namespace crest {

struct SimulatedFleetOptions {
  std::string target = "sim://?servers=1&service_time=1ms";
  v1::Workload workload;
  uint32_t agents = 1;
  uint32_t streams = 64;
  uint32_t seed = 1;
  /// Sees every operation as it is submitted, in the order of virtual time.
  std::function<void(const Operation& operation, MonoTime now)> on_submit;
};

/// One generator an agent. Everything is the same on every run with the same options.
class SimulatedFleet {
 public:
  explicit SimulatedFleet(SimulatedFleetOptions options);
  ~SimulatedFleet();

  /// Plays one load point and returns what prime would write to disk.
  v1::PointData RunPoint(uint32_t index, double ops_per_sec, absl::Duration warmup, absl::Duration measure);

  SimulatedClock& clock() { return clock_; }

 private:
  struct Agent;

  SimulatedFleetOptions options_;
  SimulatedClock clock_;
  std::unique_ptr<const WorkloadModel> model_;
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> lease_{INT64_MAX};
  std::vector<std::unique_ptr<Agent>> agents_;
};

/// A workload of GETATTR alone, without a bound on the operations in flight: arrivals alone decide when it sends.
v1::Workload OpenWorkload(v1::Arrivals arrivals);

}  // namespace crest

#endif  // CREST_TESTS_SIMULATION_SIMULATED_FLEET_H_
