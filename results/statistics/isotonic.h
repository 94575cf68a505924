// The monotone curve that fits measured points best.
#ifndef CREST_RESULTS_STATISTICS_ISOTONIC_H_
#define CREST_RESULTS_STATISTICS_ISOTONIC_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace crest {

/// A point with how much it counts.
struct FitPoint {
  double x = 0;
  double y = 0;
  double weight = 1;  // 1 ÷ variance of y
};

/// Isotonic regression by pooling adjacent violators (Barlow et al.: Statistical Inference under Order Restrictions,
/// 1972): the rising values nearest to `points` in weighted squares, one for each, in the order of x. `points` are
/// sorted by x.
std::vector<double> IsotonicFit(absl::Span<const FitPoint> points);

/// Where the fitted curve, straight between points, passes `level`; nullopt where all of it lies on one side.
std::optional<double> CrossingOf(absl::Span<const FitPoint> points, double level);

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_ISOTONIC_H_
