#include "results/point_figures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/strip.h"
#include "results/histogram.h"
#include "results/observed.h"

namespace crest {
namespace {

constexpr double kMsPerNs = 1e-6;

Histogram HistogramOf(const v1::Histogram& proto) {
  Histogram histogram;
  histogram.Merge(proto).IgnoreError();
  return histogram;
}

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Operations that were due and not done enter at their age: their times are at least that.
Histogram DueTimes(const v1::PointData& data) {
  Histogram due = HistogramOf(data.response());
  due.Merge(data.unfinished_age()).IgnoreError();
  return due;
}

Histogram HeadlineTimes(const Criteria& criteria, const v1::PointData& data) {
  return criteria.headline_is_service ? HistogramOf(data.service()) : DueTimes(data);
}

template <typename Setter>
void SetQuantile(const Histogram& histogram, double quantile, const Setter& set) {
  if (const std::optional<double> ns = histogram.QuantileNs(quantile)) set(*ns * kMsPerNs);
}

void FillTimes(const Criteria& criteria, const v1::PointData& data, v1::LoadPoint* point) {
  const Histogram response = HistogramOf(data.response());
  const Histogram service = HistogramOf(data.service());
  // Means are those of the operations that succeeded; only percentiles and the maximum know the unfinished ones.
  const Histogram& headline = criteria.headline_is_service ? service : response;
  point->set_mean_response_ms(headline.mean_ns() * kMsPerNs);
  point->set_standard_deviation_ms(headline.standard_deviation_ns() * kMsPerNs);
  point->set_mean_service_ms(service.mean_ns() * kMsPerNs);
  point->set_mean_due_ms(response.mean_ns() * kMsPerNs);
  point->set_mean_wait_ms(std::max(0.0, response.mean_ns() - service.mean_ns()) * kMsPerNs);

  const Histogram times = HeadlineTimes(criteria, data);
  SetQuantile(times, 0.5, [&](double ms) { point->set_p50_ms(ms); });
  SetQuantile(times, 0.95, [&](double ms) { point->set_p95_ms(ms); });
  SetQuantile(times, 0.99, [&](double ms) { point->set_p99_ms(ms); });
  SetQuantile(times, 0.999, [&](double ms) { point->set_p999_ms(ms); });
  point->set_max_ms(static_cast<double>(times.max_ns()) * kMsPerNs);
  SetQuantile(DueTimes(data), 0.99, [&](double ms) { point->set_p99_due_ms(ms); });
  SetQuantile(service, 0.99, [&](double ms) { point->set_p99_service_ms(ms); });
  SetQuantile(HistogramOf(data.schedule_lag()), 0.99, [&](double ms) { point->set_schedule_lag_p99_ms(ms); });
}

double ErrorCountOf(const v1::OperationCounts& counts) {
  double errors = 0;
  for (const v1::ErrorCount& error : counts.errors()) errors += static_cast<double>(error.count());
  return errors;
}

void FillOperation(const Criteria& criteria, const v1::OperationData& data, double total,
                   v1::LoadPointOperation* operation) {
  const v1::OperationCounts& counts = data.counts();
  operation->set_count(static_cast<double>(counts.count()));
  operation->set_share(Ratio(operation->count(), total));
  operation->set_call_count(static_cast<double>(counts.call_count()));
  operation->set_extra_call_count(static_cast<double>(counts.extra_call_count()));
  operation->set_bytes(static_cast<double>(counts.bytes()));
  operation->set_error_count(ErrorCountOf(counts));
  for (const v1::ErrorCount& error : counts.errors()) {
    v1::LoadPointError* named = operation->add_errors();
    named->set_name(error.name());
    named->set_count(static_cast<double>(error.count()));
  }
  const Histogram service = HistogramOf(data.histograms().service());
  const Histogram times = criteria.headline_is_service ? service : HistogramOf(data.histograms().response());
  operation->set_mean_ms(times.mean_ns() * kMsPerNs);
  operation->set_mean_service_ms(service.mean_ns() * kMsPerNs);
  operation->set_max_ms(static_cast<double>(times.max_ns()) * kMsPerNs);
  SetQuantile(times, 0.5, [&](double ms) { operation->set_p50_ms(ms); });
  SetQuantile(times, 0.95, [&](double ms) { operation->set_p95_ms(ms); });
  SetQuantile(times, 0.99, [&](double ms) { operation->set_p99_ms(ms); });
}

// A row for each operation of the mix, in its order, done or not; then what was done outside the mix.
void FillOperations(const v1::Workload& workload, const Criteria& criteria, const v1::PointData& data,
                    v1::LoadPoint* point) {
  std::map<v1::OperationKind, const v1::OperationData*> measured;
  for (const v1::OperationData& operation : data.operations()) measured[operation.counts().operation()] = &operation;
  const v1::OperationData none;
  for (const v1::OperationShare& share : workload.mix()) {
    const auto it = measured.find(share.operation());
    v1::LoadPointOperation* operation = point->add_operations();
    operation->set_name(OperationName(share.operation()));
    operation->set_target_share(share.share());
    FillOperation(criteria, it == measured.end() ? none : *it->second, point->operation_count(), operation);
    if (it != measured.end()) measured.erase(it);
  }
  for (const auto& [kind, operation_data] : measured) {
    v1::LoadPointOperation* operation = point->add_operations();
    operation->set_name(OperationName(kind));
    FillOperation(criteria, *operation_data, point->operation_count(), operation);
  }
}

void FillCounts(const v1::PointData& data, v1::LoadPoint* point) {
  double count = 0, errors = 0, calls = 0, extra_calls = 0, read_bytes = 0, write_bytes = 0;
  for (const v1::OperationData& operation : data.operations()) {
    const v1::OperationCounts& counts = operation.counts();
    count += static_cast<double>(counts.count());
    errors += ErrorCountOf(counts);
    calls += static_cast<double>(counts.call_count());
    extra_calls += static_cast<double>(counts.extra_call_count());
    if (counts.operation() == v1::OPERATION_READ) read_bytes += static_cast<double>(counts.bytes());
    if (counts.operation() == v1::OPERATION_WRITE) write_bytes += static_cast<double>(counts.bytes());
  }
  const double seconds = Seconds(data.measured_ns());
  point->set_measured_seconds(seconds);
  point->set_operation_count(count);
  point->set_achieved_ops_per_sec(Ratio(count, seconds));
  point->set_error_count(errors);
  point->set_call_count(calls);
  point->set_extra_call_count(extra_calls);
  point->set_read_bytes_per_sec(Ratio(read_bytes, seconds));
  point->set_write_bytes_per_sec(Ratio(write_bytes, seconds));
  point->set_dropped_count(static_cast<double>(data.dropped_count()));
  point->set_unfinished_count(static_cast<double>(data.unfinished_count()));
  point->set_reconnect_count(static_cast<double>(data.reconnect_count()));
}

void FillAgents(const Criteria& criteria, const v1::PointData& data, v1::LoadPoint* point) {
  for (const v1::AgentData& from : data.agents()) {
    v1::LoadPointAgent* agent = point->add_agents();
    const double count = static_cast<double>(from.count());
    const double errors = static_cast<double>(from.error_count());
    agent->set_address(from.address());
    agent->set_achieved_ops_per_sec(Ratio(count, Seconds(data.measured_ns())));
    agent->set_error_count(errors);
    agent->set_mean_response_ms((criteria.headline_is_service ? from.mean_service_ns() : from.mean_response_ns()) *
                                kMsPerNs);
    agent->set_schedule_lag_p99_ms(static_cast<double>(from.schedule_lag_p99_ns()) * kMsPerNs);
    agent->set_cpu_busy(from.cpu_busy_ratio());
    agent->set_agent_cpu_us_per_operation(Ratio(from.agent_cpu_seconds() * 1e6, count + errors));
    agent->set_rx_bytes_per_sec(from.rx_bytes_per_sec());
    agent->set_tx_bytes_per_sec(from.tx_bytes_per_sec());
    agent->set_clock_bound_ms(static_cast<double>(from.clock_bound_ns()) * kMsPerNs);
    agent->set_reconnect_count(static_cast<double>(from.reconnect_count()));
    agent->set_lost(from.lost());
  }
}

void FillIntervals(const Criteria& criteria, const v1::PointData& data, v1::LoadPoint* point) {
  for (const v1::IntervalData& from : data.intervals()) {
    v1::LoadPointInterval* interval = point->add_intervals();
    const Histogram times = HistogramOf(criteria.headline_is_service ? from.service() : from.response());
    interval->set_start_seconds(Seconds(from.start_ns()));
    interval->set_length_seconds(Seconds(from.length_ns()));
    interval->set_measured(from.measured());
    interval->set_ops_per_sec(Ratio(static_cast<double>(from.count()), Seconds(from.length_ns())));
    interval->set_mean_ms(times.mean_ns() * kMsPerNs);
    interval->set_error_count(static_cast<double>(from.error_count()));
    SetQuantile(times, 0.99, [&](double ms) { interval->set_p99_ms(ms); });
  }
}

}  // namespace

v1::LoadPoint PointFigures(const v1::Workload& workload, const Criteria& criteria, const v1::PointData& data) {
  v1::LoadPoint point;
  point.set_index(data.index());
  point.set_requested_ops_per_sec(data.requested_ops_per_sec());
  point.set_started_at(data.started_at());
  *point.mutable_file_set() = data.file_set();
  FillCounts(data, &point);
  FillTimes(criteria, data, &point);
  FillOperations(workload, criteria, data, &point);
  FillAgents(criteria, data, &point);
  FillIntervals(criteria, data, &point);
  FillObserved(data, &point);
  for (const v1::ProcedureCalls& calls : data.procedures()) {
    v1::LoadPointProcedure* procedure = point.add_procedures();
    procedure->set_name(calls.procedure());
    procedure->set_call_count(static_cast<double>(calls.call_count()));
    procedure->set_extra_call_count(static_cast<double>(calls.extra_call_count()));
  }
  return point;
}

double HeadlineP99Ms(const Criteria& criteria, const v1::PointData& data) {
  return HeadlineTimes(criteria, data).RawQuantileNs(0.99) * kMsPerNs;
}

std::string OperationName(v1::OperationKind kind) {
  const std::string& name = v1::OperationKind_Name(kind);
  return std::string(absl::StripPrefix(name, "OPERATION_"));
}

}  // namespace crest
