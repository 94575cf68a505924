// What a load point is judged by: the spec's settings where it has them, else the workload's, else the defaults that
// docs/measurement.md lists.
#ifndef CREST_RESULTS_CRITERIA_H_
#define CREST_RESULTS_CRITERIA_H_

#include <cstdint>
#include <optional>

#include "crest/v1/spec.pb.h"

namespace crest {

struct Criteria {
  bool headline_is_service = false;  // Workload.response_time is sent

  double limit_mean_ms = 20;
  std::optional<double> limit_p99_ms;
  std::optional<double> limit_errors;  // ratio

  double least_achieved = 0.98;  // of requested
  double most_errors = 0.01;     // ratio
  double mix_tolerance = 0.005;  // of a share; 3 σ where that is more
  double schedule_lag_ms = 0.1;  // greatest p99; 5 % of the mean response time where that is more

  /// Operations that the streams of the run can have in flight together; unset: no limit.
  std::optional<double> slots;
};

Criteria CriteriaOf(const v1::RunSpec& spec, uint32_t streams);

/// The schedule lag's p99 above which the generator was the limit, in ms.
double MostScheduleLagMs(const Criteria& criteria, double mean_response_ms);

}  // namespace crest

#endif  // CREST_RESULTS_CRITERIA_H_
