#include "results/ort.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace crest {
namespace {

constexpr absl::string_view kSfs2008Name = "sfs2008";
constexpr absl::string_view kStorage2020Name = "storage2020";

// The points up to the peak, or why they are no curve.
absl::StatusOr<absl::Span<const CurvePoint>> UpToPeak(absl::Span<const CurvePoint> points) {
  for (size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& p = points[i];
    if (!std::isfinite(p.ops_per_sec) || !std::isfinite(p.response_ms) || p.ops_per_sec < 0 || p.response_ms < 0) {
      return absl::InvalidArgumentError(absl::StrCat("point ", i + 1, " (", p.ops_per_sec, " ops/s, ", p.response_ms,
                                                     " ms) is negative or not a number"));
    }
  }
  const auto peak = std::max_element(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return a.ops_per_sec < b.ops_per_sec;
  });
  if (peak == points.end() || peak->ops_per_sec == 0) {
    return absl::InvalidArgumentError("a curve needs at least one point above 0 ops/s");
  }
  if (peak == points.begin() && points.size() > 1) {
    return absl::InvalidArgumentError(
        "the first of several points is the peak; list the points in the order of rising load");
  }
  const size_t count = static_cast<size_t>(peak - points.begin()) + 1;
  for (size_t i = 1; i < count; ++i) {
    if (points[i].ops_per_sec < points[i - 1].ops_per_sec) {
      return absl::InvalidArgumentError(
          absl::StrCat("point ", i + 1, " (", points[i].ops_per_sec, " ops/s) lies below the one before it (",
                       points[i - 1].ops_per_sec, " ops/s); list the points in the order of rising load"));
    }
  }
  return points.first(count);
}

}  // namespace

absl::StatusOr<OrtRule> ParseOrtRule(absl::string_view name) {
  if (name == kSfs2008Name) return OrtRule::kSfs2008;
  if (name == kStorage2020Name) return OrtRule::kStorage2020;
  return absl::InvalidArgumentError(
      absl::StrCat("unknown ORT rule \"", name, "\"; use ", kSfs2008Name, " or ", kStorage2020Name));
}

absl::string_view OrtRuleName(OrtRule rule) { return rule == OrtRule::kStorage2020 ? kStorage2020Name : kSfs2008Name; }

absl::StatusOr<double> OverallResponseTime(absl::Span<const CurvePoint> points, OrtRule rule) {
  auto curve = UpToPeak(points);
  if (!curve.ok()) return curve.status();
  const double peak = curve->back().ops_per_sec;
  CurvePoint before = rule == OrtRule::kSfs2008 ? CurvePoint{} : curve->front();
  const double width = peak - before.ops_per_sec;
  if (width <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rule ", OrtRuleName(rule), " needs at least two points of different load up to the peak"));
  }
  double area = 0;
  for (const CurvePoint& point : *curve) {
    area += (point.ops_per_sec - before.ops_per_sec) * (point.response_ms + before.response_ms) / 2;
    before = point;
  }
  return area / width;
}

}  // namespace crest
