// From what was measured to what it means. Pure: the same header and points give the same result, today or in a year.
#ifndef CREST_RESULTS_JUDGE_H_
#define CREST_RESULTS_JUDGE_H_

#include <string>

#include "absl/types/span.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// Judges one load point: rates, times, shares, validity, findings. Rules and defaults: docs/measurement.md.
v1::LoadPoint JudgePoint(const v1::RunHeader& header, const v1::PointData& point);

/// Judges the run: the points in the order run, peak, ORT, findings. `status` and `reason` say how the run ended.
v1::RunResult JudgeRun(const v1::RunHeader& header, absl::Span<const v1::PointData> points, v1::RunStatus status,
                       const std::string& reason);

}  // namespace crest

#endif  // CREST_RESULTS_JUDGE_H_
