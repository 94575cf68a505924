#include "agent/load/recorder.h"

#include <algorithm>
#include <utility>

namespace crest {

PointTimeline::Interval PointTimeline::IntervalAt(uint32_t index) const {
  const bool measured = index >= warmup_count();
  const int64_t phase_start_ns = measured ? warmup_ns_ : 0;
  const int64_t phase_ns = measured ? measure_ns_ : warmup_ns_;
  const int64_t offset_ns = int64_t{measured ? index - warmup_count() : index} * kIntervalNs;
  Interval interval;
  interval.start_ns = phase_start_ns + offset_ns;
  interval.length_ns = std::min(kIntervalNs, phase_ns - offset_ns);
  interval.measured = measured;
  interval.ends_phase = offset_ns + interval.length_ns == phase_ns;
  return interval;
}

void IntervalRecord::Clear() {
  for (OperationRecord& operation : operations) {
    if (operation.empty()) continue;
    operation.response.Clear();
    operation.service.Clear();
    operation.failed_response.Clear();
    operation.sent = operation.calls = operation.extra_calls = operation.bytes = 0;
    operation.failures.fill(0);
  }
  schedule_lag.Clear();
  last = false;
  dropped = in_flight = reconnects = spin_ns = 0;
}

Recorder::Recorder() : current_(std::make_unique<IntervalRecord>()) {
  for (size_t i = 0; i < kRecords; ++i) blank_.Push(new IntervalRecord);
}

Recorder::~Recorder() {
  IntervalRecord* record = nullptr;
  while (full_.Pop(record)) delete record;
  while (blank_.Pop(record)) delete record;
}

void Recorder::Publish() {
  unqueued_.push_back(std::move(current_));
  while (!unqueued_.empty() && full_.Push(unqueued_.front().get())) {
    (void)unqueued_.front().release();  // the queue owns it now
    unqueued_.erase(unqueued_.begin());
  }
  IntervalRecord* blank = nullptr;
  if (!blank_.Pop(blank)) blank = new IntervalRecord;
  current_.reset(blank);
}

std::unique_ptr<IntervalRecord> Recorder::Take() {
  IntervalRecord* record = nullptr;
  full_.Pop(record);
  return std::unique_ptr<IntervalRecord>(record);
}

void Recorder::Return(std::unique_ptr<IntervalRecord> record) {
  record->Clear();
  IntervalRecord* const raw = record.release();
  if (!blank_.Push(raw)) delete raw;
}

}  // namespace crest
