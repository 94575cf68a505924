// Overall response time (ORT): one figure for a whole curve.
#ifndef CREST_RESULTS_ORT_H_
#define CREST_RESULTS_ORT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace crest {

/// One point of a curve: achieved operations a second and mean response time in ms.
struct CurvePoint {
  double ops_per_sec = 0;
  double response_ms = 0;
};

enum class OrtRule {
  kSfs2008,      // area under the curve from (0, 0) to the peak ÷ peak
  kStorage2020,  // area over the measured points alone ÷ (last − first)
};

absl::StatusOr<OrtRule> ParseOrtRule(absl::string_view name);
absl::string_view OrtRuleName(OrtRule rule);

/// ORT in ms by trapezoids. `points` stand in the order of rising load; at least one (sfs2008) or two (storage2020) up
/// to the peak. The peak is the highest ops_per_sec: past it a curve turns back, and what follows does not count.
/// InvalidArgument where no such order can be seen, since the figure would be wrong without a sign of it: a point
/// before the peak lies below the one before it, or the peak is the first of several points.
absl::StatusOr<double> OverallResponseTime(absl::Span<const CurvePoint> points, OrtRule rule);

}  // namespace crest

#endif  // CREST_RESULTS_ORT_H_
