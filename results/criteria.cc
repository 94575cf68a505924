#include "results/criteria.h"

#include <algorithm>

namespace crest {
namespace {

double Milliseconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) * 1e3 + duration.nanos() / 1e6;
}

void Override(const v1::ValiditySpec& validity, Criteria* criteria) {
  if (validity.has_achieved()) criteria->least_achieved = validity.achieved();
  if (validity.has_errors()) criteria->most_errors = validity.errors();
  if (validity.has_mix()) criteria->mix_tolerance = validity.mix();
  if (validity.has_schedule_lag()) criteria->schedule_lag_ms = Milliseconds(validity.schedule_lag());
}

}  // namespace

Criteria CriteriaOf(const v1::RunSpec& spec, uint32_t streams) {
  Criteria criteria;
  const v1::Workload& workload = spec.workload();
  criteria.headline_is_service = workload.response_time() == v1::RESPONSE_TIME_SENT;
  if (workload.has_limit()) criteria.limit_mean_ms = Milliseconds(workload.limit());
  if (spec.limit().has_mean()) criteria.limit_mean_ms = Milliseconds(spec.limit().mean());
  if (spec.limit().has_p99()) criteria.limit_p99_ms = Milliseconds(spec.limit().p99());
  if (spec.limit().has_errors()) criteria.limit_errors = spec.limit().errors();
  Override(workload.validity(), &criteria);
  Override(spec.validity(), &criteria);
  if (workload.has_outstanding()) criteria.slots = static_cast<double>(streams) * workload.outstanding();
  return criteria;
}

double MostScheduleLagMs(const Criteria& criteria, double mean_response_ms) {
  return std::max(criteria.schedule_lag_ms, 0.05 * mean_response_ms);
}

}  // namespace crest
