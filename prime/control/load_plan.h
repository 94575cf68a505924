// Which load point comes next.
#ifndef CREST_PRIME_CONTROL_LOAD_PLAN_H_
#define CREST_PRIME_CONTROL_LOAD_PLAN_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "crest/v1/result.pb.h"
#include "crest/v1/spec.pb.h"

namespace crest {

/// What is asked of the agents at one load point.
struct LoadStep {
  double requested_ops_per_sec = 0;
};

/// A plan is a pure function of what was measured: asked again with the same history it answers the same, so a run can
/// be resumed and a plan tested without one. Immutable; thread-safe.
class LoadPlan {
 public:
  virtual ~LoadPlan() = default;
  /// The load point after those of `history` (judged, in the order run); nullopt when the plan has ended.
  virtual std::optional<LoadStep> Next(absl::Span<const v1::LoadPoint> history) const = 0;
  /// The rates known before the run begins, in order; empty where each hangs on the one before.
  virtual std::vector<double> PlannedRates() const = 0;
};

/// The plan that `load` asks for (defaults filled in). InvalidArgument says which key is missing or wrong.
absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeLoadPlan(const v1::LoadSpec& load);

/// `curve`: `points` load points evenly spaced up to `peak`, the first at peak ÷ points. All of them are run: past the
/// knee a curve turns back, and that is worth seeing.
absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeCurvePlan(const v1::LoadSpec& load);

/// `steps`: the rates listed, in that order.
absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeStepsPlan(const v1::LoadSpec& load);

}  // namespace crest

#endif  // CREST_PRIME_CONTROL_LOAD_PLAN_H_
