#include "results/judge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "results/criteria.h"
#include "results/ort.h"
#include "results/point_figures.h"
#include "results/point_findings.h"

namespace crest {
namespace {

constexpr uint32_t kFormatVersion = 1;

bool WithinLimit(const Criteria& criteria, const v1::PointData& data, const v1::LoadPoint& point) {
  if (point.operation_count() == 0) return false;
  if (point.mean_response_ms() > criteria.limit_mean_ms) return false;
  if (criteria.limit_p99_ms.has_value() && HeadlineP99Ms(criteria, data) > *criteria.limit_p99_ms) return false;
  const double all = point.operation_count() + point.error_count();
  return !criteria.limit_errors.has_value() || point.error_count() <= *criteria.limit_errors * all;
}

bool HasInvalidFinding(const v1::LoadPoint& point) {
  return std::any_of(point.findings().begin(), point.findings().end(),
                     [](const v1::Finding& finding) { return finding.severity() == v1::INVALID; });
}

v1::LoadPoint JudgeWith(const Criteria& criteria, const v1::RunHeader& header, const v1::PointData& data) {
  v1::LoadPoint point = PointFigures(header.spec().workload(), criteria, data);
  AddPointFindings(header.spec(), criteria, data, &point);
  point.set_valid(point.operation_count() > 0 && !HasInvalidFinding(point));
  point.set_within_limit(WithinLimit(criteria, data, point));
  return point;
}

// The highest achieved of the valid points within the limit; nullptr without one.
const v1::LoadPoint* FindPeak(const v1::RunResult& result) {
  const v1::LoadPoint* peak = nullptr;
  for (const v1::LoadPoint& point : result.points()) {
    if (!point.valid() || !point.within_limit()) continue;
    if (peak == nullptr || point.achieved_ops_per_sec() > peak->achieved_ops_per_sec()) peak = &point;
  }
  return peak;
}

// Valid points up to the peak by rising load. The rates of a `steps` plan come in any order, and what was asked for
// more than the peak lies past the knee.
std::vector<CurvePoint> CurveUpTo(const v1::LoadPoint& peak, const v1::RunResult& result) {
  std::vector<CurvePoint> curve;
  for (const v1::LoadPoint& point : result.points()) {
    if (!point.valid() || point.requested_ops_per_sec() > peak.requested_ops_per_sec() ||
        point.achieved_ops_per_sec() > peak.achieved_ops_per_sec()) {
      continue;
    }
    curve.push_back({point.achieved_ops_per_sec(), point.mean_response_ms()});
  }
  std::sort(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return std::pair(a.ops_per_sec, a.response_ms) < std::pair(b.ops_per_sec, b.response_ms);
  });
  // Points that all achieved the same are one point of the curve.
  if (curve.front().ops_per_sec == curve.back().ops_per_sec) return {curve.front()};
  return curve;
}

void Summarise(const Criteria& criteria, v1::RunResult* result) {
  v1::Summary& summary = *result->mutable_summary();
  summary.set_ort_rule(std::string(OrtRuleName(OrtRule::kSfs2008)));
  summary.set_limit_ms(criteria.limit_mean_ms);
  summary.set_response_time(criteria.headline_is_service ? "sent" : "due");
  for (const v1::LoadPoint& point : result->points()) {
    if (point.operation_count() > 0 && !point.within_limit()) summary.set_limit_reached(true);
  }
  const v1::LoadPoint* peak = FindPeak(*result);
  if (peak == nullptr) return;
  summary.set_peak_point(peak->index());
  summary.set_peak_ops_per_sec(peak->achieved_ops_per_sec());
  if (const auto ort = OverallResponseTime(CurveUpTo(*peak, *result), OrtRule::kSfs2008); ort.ok()) {
    summary.set_overall_response_time_ms(*ort);
  }
  summary.set_valid(result->status() == v1::COMPLETE);
}

void AddFinding(absl::string_view code, v1::Severity severity, std::string message, std::string evidence,
                v1::RunResult* result) {
  *result->add_findings() = MakeFinding(code, severity, std::move(message), std::move(evidence));
}

void AddOutcomeFindings(v1::RunResult* result) {
  if (result->status() != v1::COMPLETE) {
    AddFinding("interrupted", v1::WARNING,
               "The run ended before its last load point; what was measured until then is kept.",
               absl::StrCat(result->points_size(), " load points measured", result->status_reason().empty() ? "" : ": ",
                            result->status_reason()),
               result);
  }
  const v1::Summary& summary = result->summary();
  if (summary.peak_point() == 0) {
    AddFinding(
        "no_valid_point", v1::INVALID,
        "No load point is valid and within the limit, so there is no peak and no overall response time; see the "
        "findings of the points, and start at a lower rate if all were above the limit.",
        absl::StrCat(result->points_size(), " load points, limit ", absl::StrFormat("%g ms", summary.limit_ms())),
        result);
    return;
  }
  if (!summary.limit_reached()) {
    AddFinding(
        "limit_not_reached", v1::WARNING,
        "No load point passed the limit, so the peak is a lower bound; raise load.peak to find the true one.",
        absl::StrFormat("peak %s ops/s, limit %g ms", FormatRate(summary.peak_ops_per_sec()), summary.limit_ms()),
        result);
  }
}

// Points below the peak that do not count leave a gap in the curve.
void AddGapFinding(v1::RunResult* result) {
  const uint32_t peak_index = result->summary().peak_point();
  const auto peak = std::find_if(result->points().begin(), result->points().end(),
                                 [&](const v1::LoadPoint& point) { return point.index() == peak_index; });
  if (peak == result->points().end()) return;
  std::string gaps;
  for (const v1::LoadPoint& point : result->points()) {
    if (point.valid() || point.requested_ops_per_sec() >= peak->requested_ops_per_sec()) continue;
    absl::StrAppend(&gaps, gaps.empty() ? "" : ", ", point.index());
  }
  if (gaps.empty()) return;
  AddFinding("invalid_points", v1::WARNING,
             "Load points below the peak are not valid, so the overall response time is drawn past them; see their "
             "findings.",
             absl::StrCat("not valid: load point ", gaps), result);
}

void AddWorkloadFindings(v1::RunResult* result) {
  const v1::Workload& workload = result->spec().workload();
  const v1::FileSetSpec& file_set = workload.file_set();
  if (file_set.has_profile_bytes_per_op_rate() && file_set.bytes_per_op_rate() < file_set.profile_bytes_per_op_rate()) {
    AddFinding("small_file_set", v1::WARNING,
               "The file set is smaller than the profile asks for, so more of it fits into caches; compare only with "
               "runs of the same size.",
               absl::StrCat(FormatBytes(file_set.bytes_per_op_rate()), " for each requested op/s instead of ",
                            FormatBytes(file_set.profile_bytes_per_op_rate())),
               result);
  }
  if (absl::StartsWith(workload.profile(), "sfs") || absl::StartsWith(workload.name(), "sfs")) {
    AddFinding("not_spec", v1::NOTE,
               "This is not a SPEC result and cannot be compared with published ones: the workload follows public "
               "descriptions of SPECsfs, a trademark of the Standard Performance Evaluation Corporation.",
               absl::StrCat("workload ", workload.profile().empty() ? workload.name() : workload.profile()), result);
  }
}

}  // namespace

v1::LoadPoint JudgePoint(const v1::RunHeader& header, const v1::PointData& point) {
  return JudgeWith(CriteriaOf(header.spec(), header.streams()), header, point);
}

v1::RunResult JudgeRun(const v1::RunHeader& header, absl::Span<const v1::PointData> points, v1::RunStatus status,
                       const std::string& reason) {
  const Criteria criteria = CriteriaOf(header.spec(), header.streams());
  v1::RunResult result;
  result.set_format_version(kFormatVersion);
  result.set_run_id(header.run_id());
  result.set_name(header.spec().name());
  result.set_started_at(header.started_at());
  result.set_version(header.version());
  *result.mutable_spec() = header.spec();
  result.set_command(header.command());
  result.set_streams(header.streams());
  *result.mutable_hosts() = header.hosts();
  result.set_status(status);
  result.set_status_reason(reason);
  for (const v1::PointData& point : points) *result.add_points() = JudgeWith(criteria, header, point);
  Summarise(criteria, &result);
  AddOutcomeFindings(&result);
  AddGapFinding(&result);
  AddWorkloadFindings(&result);
  std::stable_sort(result.mutable_findings()->begin(), result.mutable_findings()->end(),
                   [](const v1::Finding& a, const v1::Finding& b) { return a.severity() > b.severity(); });
  return result;
}

}  // namespace crest
