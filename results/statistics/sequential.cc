#include "results/statistics/sequential.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace crest {

double SpentError(double alpha, double fraction) {
  return alpha * std::log1p((std::numbers::e - 1) * std::clamp(fraction, 0.0, 1.0));
}

Side SideOf(absl::Span<const WeightedSum> series, double bound, double alpha) {
  const std::optional<RatioEstimate> estimate = EstimateRatio(series);
  if (!estimate || alpha <= 0) return Side::kUndecided;
  const double above = estimate->TailAbove(bound);
  if (above <= alpha / 2) return Side::kAbove;
  if (1 - above <= alpha / 2) return Side::kBelow;
  return Side::kUndecided;
}

Side SequentialTest::Look(absl::Span<const WeightedSum> series, double bound, double fraction) {
  const double accrued = SpentError(alpha_, fraction);
  const Side side = SideOf(series, bound, accrued - spent_);
  spent_ = std::max(spent_, accrued);
  return side;
}

}  // namespace crest
