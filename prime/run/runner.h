// One run while it happens.
#ifndef CREST_PRIME_RUN_RUNNER_H_
#define CREST_PRIME_RUN_RUNNER_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "crest/v1/result.pb.h"
#include "prime/control/load_plan.h"
#include "prime/fleet/fleet.h"
#include "prime/fleet/local_agent.h"
#include "prime/run/run.h"
#include "results/run_store.h"
#include "workloads/file_set.h"

namespace crest {

/// Driven by one thread; Interrupt and Abandon may be called by any.
class Runner {
 public:
  /// `options` outlives it.
  explicit Runner(const RunOptions& options) : options_(options), view_(*options.view) {}

  RunOutcome Go();

  /// Ends the run gently: the load stops, what was measured is saved.
  void Interrupt();
  /// For a program that exits next: ends the run's own agent. The others notice that their session breaks.
  void Abandon();

 private:
  absl::Status Begin();    // the run's folder, agents, header
  absl::Status RunPlan();  // load point after load point
  absl::Status RunStep(const LoadStep& step);
  absl::Status Prepare(double rate);
  absl::Status SavePoint(v1::PointData point);
  void Observe(v1::PointData& point);  // joins figures of the system under test
  void Report(const absl::Status& ended);
  void End();  // sessions, own agent
  void RemoveFolder();

  absl::StatusOr<std::vector<AgentEndpoint>> Endpoints();
  absl::Status Open(std::vector<AgentEndpoint> endpoints);
  absl::Status WithAgentLog(const absl::Status& status) const;
  void Write(const std::string& text);

  const RunOptions& options_;
  ProgressView& view_;

  std::unique_ptr<const LoadPlan> plan_;
  std::optional<FileSet> files_;
  bool out_existed_ = true;
  std::optional<RunWriter> writer_;
  v1::RunHeader header_;
  std::optional<double> prepared_rate_;
  v1::FileSetData file_set_;
  std::vector<v1::PointData> points_;
  std::vector<v1::LoadPoint> judged_;
  bool disk_failed_ = false;
  RunOutcome outcome_;

  mutable std::mutex mutex_;  // guards what follows: set by the driving thread, used by whoever interrupts
  bool interrupted_ = false;
  std::unique_ptr<LocalAgent> local_agent_;
  std::unique_ptr<Fleet> fleet_;
};

}  // namespace crest

#endif  // CREST_PRIME_RUN_RUNNER_H_
