// Looking at data as it comes without being fooled by it.
#ifndef CREST_RESULTS_STATISTICS_SEQUENTIAL_H_
#define CREST_RESULTS_STATISTICS_SEQUENTIAL_H_

#include "absl/types/span.h"
#include "results/statistics/ratio_estimate.h"

namespace crest {

/// On which side of a bound a long-run figure lies, as far as the data can tell.
enum class Side { kUndecided, kBelow, kAbove };

/// The error that may be spent by the time a fraction (0, 1] of the longest measurement has been seen: the Pocock-type
/// spending function α·ln(1 + (e − 1)·t) of Lan and DeMets (Biometrika 70, 1983), which allows early verdicts.
double SpentError(double alpha, double fraction);

/// A group-sequential test. Each look spends what has accrued since the one before; since the looks' errors are added
/// (Bonferroni), all looks together are wrong with probability `alpha` at most, whatever the correlation between them.
/// Not thread-safe.
class SequentialTest {
 public:
  /// `alpha`: the two-sided error over all looks.
  explicit SequentialTest(double alpha) : alpha_(alpha) {}

  /// Judges the data seen so far, `fraction` of the longest measurement; fractions rise. kUndecided where the data
  /// cannot tell yet.
  Side Look(absl::Span<const WeightedSum> series, double bound, double fraction);

 private:
  double alpha_;
  double spent_ = 0;
};

/// One look with a given two-sided error.
Side SideOf(absl::Span<const WeightedSum> series, double bound, double alpha);

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_SEQUENTIAL_H_
