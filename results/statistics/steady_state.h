// When a warm-up is over, and whether a window was steady.
#ifndef CREST_RESULTS_STATISTICS_STEADY_STATE_H_
#define CREST_RESULTS_STATISTICS_STEADY_STATE_H_

#include <cstddef>
#include <optional>

#include "absl/types/span.h"
#include "results/statistics/ratio_estimate.h"

namespace crest {

/// Where the steady part of `series` begins, by the marginal standard error rule (White: An effective truncation
/// heuristic for bias reduction in simulation output, Simulation 69, 1997): the cut, in the first half, that leaves the
/// mean of the rest known best. nullopt: not settled yet; the best cut lies at the very end of that half, or the rest
/// still has a trend.
std::optional<size_t> SettledFrom(absl::Span<const WeightedSum> series);

/// Change along a series, as a straight line fitted through it shows.
struct Trend {
  double change = 0;          // from the line's first point to its last
  double standard_error = 0;  // of `change`
  double mean = 0;
};

/// nullopt for fewer than kLeastIntervals intervals.
std::optional<Trend> TrendOf(absl::Span<const WeightedSum> series);

/// Steadiness in the manner of the SNIA Solid State Storage Performance Test Specification (2.0.2, steady state): the
/// window is cut into five rounds.
struct Steadiness {
  double range = 0;  // greatest − least round ÷ mean
  double drift = 0;  // |change of the fitted line| ÷ mean
  /// What chance alone does to both at 99 %: a range or drift within this is no sign of anything.
  double range_by_chance = 0;
  double drift_by_chance = 0;
};

inline constexpr int kRounds = 5;
inline constexpr double kMostRange = 0.2;  // SNIA: range within 20 % of the mean

/// nullopt where the series is too short or without weight.
std::optional<Steadiness> SteadinessOf(absl::Span<const WeightedSum> series);

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_STEADY_STATE_H_
