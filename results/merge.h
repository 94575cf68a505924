// Merges what agents send during one load point. Buckets and counts are added; nothing is averaged.
#ifndef CREST_RESULTS_MERGE_H_
#define CREST_RESULTS_MERGE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "crest/v1/agent.pb.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// One second of the whole run, for the progress display.
struct IntervalView {
  double start_seconds = 0;
  bool measured = false;
  double ops_per_sec = 0;
  double mean_response_ms = 0;
  double mean_service_ms = 0;
  double error_count = 0;
  uint32_t agents_reporting = 0;
};

/// Collects one load point. Not thread-safe.
class PointMerger {
 public:
  /// `agents`: addresses in the order of the spec; reports name an agent by its index there.
  PointMerger(uint32_t point, double requested_ops_per_sec, std::vector<std::string> agents);
  ~PointMerger();

  /// In any order; one that was added before is ignored. A report that is malformed, of another point, or of an agent
  /// out of range: InvalidArgument, nothing is added.
  absl::Status Add(uint32_t agent, const v1::IntervalReport& report);
  absl::Status Add(uint32_t agent, const v1::PointDone& done);
  void SetClockBound(uint32_t agent, absl::Duration bound);
  /// The agent's share of the rate, by its streams; an even share until set.
  void SetRequested(uint32_t agent, double ops_per_sec);
  /// The agent's data stays; it is marked and no longer waited for.
  void SetLost(uint32_t agent);
  void SetFileSet(const v1::FileSetData& file_set);

  /// The latest interval that every present agent has reported; nullptr before the first.
  const IntervalView* latest() const;
  /// What has been merged, at any time. The window is as long as the agent that measured longest did measure; one that
  /// falls short of it was not there throughout and counts as lost. `started_at`: RFC 3339, UTC. `stopped`: by prime.
  v1::PointData Finish(absl::string_view started_at, absl::Duration warmup, bool stopped) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace crest

#endif  // CREST_RESULTS_MERGE_H_
