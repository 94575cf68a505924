// How well a mean is known that was measured second by second.
#ifndef CREST_RESULTS_STATISTICS_RATIO_ESTIMATE_H_
#define CREST_RESULTS_STATISTICS_RATIO_ESTIMATE_H_

#include <optional>

#include "absl/types/span.h"

namespace crest {

/// One interval of a series: Σ sum ÷ Σ weight is the figure. For a mean response time `sum` is that of the times and
/// `weight` the number of operations.
struct WeightedSum {
  double sum = 0;
  double weight = 0;
};

/// A long-run figure as one measurement shows it.
struct RatioEstimate {
  double ratio = 0;
  double standard_error = 0;
  double degrees_of_freedom = 1;

  /// Half the width of the two-sided interval that holds the long-run figure with probability `confidence`.
  double HalfWidth(double confidence) const;
  /// The probability, under a long-run figure of `bound`, of an estimate at least as far above it; small: it is above.
  double TailAbove(double bound) const;
};

/// Batch means: the series is cut into batches of equal length, few enough that neighbours do not hang together (Law:
/// Simulation Modeling and Analysis, 9.5.3); the batches' ratios are compared by the ratio estimator (Cochran: Sampling
/// Techniques, 6.4). nullopt where the series is too short to tell (under kLeastIntervals) or has no weight.
std::optional<RatioEstimate> EstimateRatio(absl::Span<const WeightedSum> series);

inline constexpr int kLeastIntervals = 4;

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_RATIO_ESTIMATE_H_
