// What a reader must know about one load point, and whether it counts.
#ifndef CREST_RESULTS_POINT_FINDINGS_H_
#define CREST_RESULTS_POINT_FINDINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "crest/v1/result.pb.h"
#include "results/criteria.h"

namespace crest {

v1::Finding MakeFinding(absl::string_view code, v1::Severity severity, std::string message, std::string evidence);

/// Adds the findings of `point` (its figures are there already), worst first. An INVALID one makes a point not valid.
void AddPointFindings(const v1::RunSpec& spec, const Criteria& criteria, const v1::PointData& data,
                      v1::LoadPoint* point);

}  // namespace crest

#endif  // CREST_RESULTS_POINT_FINDINGS_H_
