#include "agent/load/interval_merger.h"

#include <algorithm>
#include <limits>
#include <string>

namespace crest {
namespace {

// Full histograms per operation travel this often; the one of all operations every time.
constexpr int kIntervalsPerHistogram = 10;
constexpr uint32_t kEnded = std::numeric_limits<uint32_t>::max();

void MergeOperation(OperationRecord& into, const OperationRecord& from) {
  if (from.empty()) return;
  into.response.Merge(from.response);
  into.service.Merge(from.service);
  into.failed_response.Merge(from.failed_response);
  into.sent += from.sent;
  into.calls += from.calls;
  into.extra_calls += from.extra_calls;
  into.bytes += from.bytes;
  for (size_t i = 0; i < from.failures.size(); ++i) into.failures[i] += from.failures[i];
}

}  // namespace

IntervalMerger::IntervalMerger(uint32_t point, size_t generators, const Engine* engine)
    : point_(point), engine_(engine), next_index_(generators), unsent_(std::make_unique<IntervalRecord>()) {}

void IntervalMerger::Merge(IntervalRecord& into, const IntervalRecord& from) const {
  for (size_t kind = 0; kind < from.operations.size(); ++kind) {
    MergeOperation(into.operations[kind], from.operations[kind]);
  }
  into.schedule_lag.Merge(from.schedule_lag);
  into.dropped += from.dropped;
  into.in_flight += from.in_flight;
  into.reconnects += from.reconnects;
  into.spin_ns += from.spin_ns;
}

void IntervalMerger::Add(size_t generator, const IntervalRecord& record) {
  while (pending_.size() <= record.index - reported_) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Pending>());
    pending_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Pending& pending = *pending_[record.index - reported_];
  IntervalRecord& sum = pending.sum;
  if (!pending.begun) {
    sum.index = record.index;
    sum.interval = record.interval;
    pending.begun = true;
  }
  sum.interval.length_ns = std::max(sum.interval.length_ns, record.interval.length_ns);
  Merge(sum, record);
  known_ = std::max(known_, record.index + 1);
  next_index_[generator] = record.last ? kEnded : record.index + 1;
}

bool IntervalMerger::Complete(uint32_t index) const {
  return index < known_ &&
         std::all_of(next_index_.begin(), next_index_.end(), [&](uint32_t next) { return next > index; });
}

bool IntervalMerger::finished() const {
  return reported_ == known_ &&
         std::all_of(next_index_.begin(), next_index_.end(), [](uint32_t next) { return next == kEnded; });
}

std::optional<v1::IntervalReport> IntervalMerger::Next() {
  if (!Complete(reported_)) return std::nullopt;
  std::unique_ptr<Pending> pending = std::move(pending_.front());
  pending_.pop_front();
  ++reported_;
  v1::IntervalReport report = MakeReport(pending->sum);
  pending->sum.Clear();
  pending->begun = false;
  spare_.push_back(std::move(pending));
  return report;
}

v1::IntervalReport IntervalMerger::MakeReport(const IntervalRecord& record) {
  v1::IntervalReport report;
  report.set_point(point_);
  report.set_measured(record.interval.measured);
  report.set_start_ns(record.interval.start_ns);
  report.set_length_ns(record.interval.length_ns);
  report.set_dropped_count(record.dropped);
  report.set_in_flight(record.in_flight);
  report.set_reconnect_count(record.reconnects);
  report.mutable_host_load()->set_generator_spin_seconds(static_cast<double>(record.spin_ns) * 1e-9);
  *report.mutable_schedule_lag() = record.schedule_lag.ToProto();
  Histogram response;
  Histogram service;
  for (size_t kind = 0; kind < record.operations.size(); ++kind) {
    const OperationRecord& operation = record.operations[kind];
    if (operation.empty()) continue;
    response.Merge(operation.response);
    service.Merge(operation.service);
    v1::OperationCounts& counts = *report.add_operations();
    counts.set_operation(static_cast<v1::OperationKind>(kind));
    counts.set_count(static_cast<int64_t>(operation.response.count()));
    counts.set_sent_count(operation.sent);
    counts.set_call_count(operation.calls);
    counts.set_extra_call_count(operation.extra_calls);
    counts.set_bytes(operation.bytes);
    for (size_t outcome = 0; outcome < operation.failures.size(); ++outcome) {
      if (operation.failures[outcome] == 0) continue;
      v1::ErrorCount& error = *counts.add_errors();
      error.set_name(std::string(engine_->ErrorName(static_cast<Outcome>(outcome))));
      error.set_count(operation.failures[outcome]);
    }
  }
  *report.mutable_response() = response.ToProto();
  *report.mutable_service() = service.ToProto();

  Merge(*unsent_, record);
  const bool last = finished();
  if (++unsent_intervals_ == kIntervalsPerHistogram || record.interval.ends_phase || last) {
    for (size_t kind = 0; kind < unsent_->operations.size(); ++kind) {
      const OperationRecord& operation = unsent_->operations[kind];
      if (operation.empty()) continue;
      v1::OperationHistograms& histograms = *report.add_histograms();
      histograms.set_operation(static_cast<v1::OperationKind>(kind));
      *histograms.mutable_response() = operation.response.ToProto();
      *histograms.mutable_service() = operation.service.ToProto();
      *histograms.mutable_failed_response() = operation.failed_response.ToProto();
    }
    unsent_->Clear();
    unsent_intervals_ = 0;
  }
  return report;
}

}  // namespace crest
