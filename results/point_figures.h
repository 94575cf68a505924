// The figures of one load point, before any verdict on them.
#ifndef CREST_RESULTS_POINT_FIGURES_H_
#define CREST_RESULTS_POINT_FIGURES_H_

#include <string>

#include "crest/v1/result.pb.h"
#include "results/criteria.h"

namespace crest {

/// Rates, times, shares and counts. `valid`, `within_limit` and `findings` are left unset. Histograms that are
/// malformed count as empty. Every figure is finite, whatever the data.
v1::LoadPoint PointFigures(const v1::Workload& workload, const Criteria& criteria, const v1::PointData& data);

/// p99 of the headline time without the ten-sample rule, in ms: for the limit alone.
double HeadlineP99Ms(const Criteria& criteria, const v1::PointData& data);

/// "READ" for OPERATION_READ.
std::string OperationName(v1::OperationKind kind);

}  // namespace crest

#endif  // CREST_RESULTS_POINT_FIGURES_H_
