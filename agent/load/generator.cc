#include "agent/load/generator.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace crest {
namespace {

// Operations handed to the engine before it may send them: a long batch would make its first wait for its last.
constexpr int kMaxBatch = 16;
// How long to wait before an engine that was busy is asked again.
constexpr int64_t kRetryNs = 1'000'000;

}  // namespace

Generator::Generator(GeneratorConfig config, Engine* engine, Clock* clock, Recorder* recorder,
                     const std::atomic<bool>* stop, const std::atomic<int64_t>* lease_until_ns)
    : config_(std::move(config)),
      engine_(engine),
      clock_(clock),
      recorder_(recorder),
      stop_(stop),
      lease_until_ns_(lease_until_ns),
      slots_(config_.slots),
      free_slots_(config_.slots) {
  // The lowest slot is taken first, so that few operations in flight touch little memory.
  std::iota(free_slots_.rbegin(), free_slots_.rend(), 0);
  due_.Reserve(config_.streams.size());
  held_streams_.reserve(config_.streams.size());
  streams_.reserve(config_.streams.size());
}

void Generator::Begin(const GeneratorPoint& point) {
  point_ = point;
  ++point_serial_;
  ended_ = false;
  summary_ = GeneratorSummary();
  slots_free_since_ = MonoTime();
  due_.Clear();
  held_streams_.clear();
  streams_.clear();
  const v1::Arrivals law = config_.model->workload().arrivals();
  for (const uint32_t number : config_.streams) {
    streams_.emplace_back(ArrivalSchedule(law, point.stream_ops_per_s, config_.model->seed(), number, point.point),
                          OperationStream(config_.model, point.counts, number, config_.stream_count, point.point));
    Enqueue(static_cast<uint32_t>(streams_.size() - 1), false);
  }
  reconnects_seen_ = engine_->reconnect_count();
  BeginInterval(0);
}

MonoTime Generator::Dispatch() {
  MonoTime now = clock_->Now();
  if (!held_streams_.empty() && !ended_) RetryHeld(now);
  int batch = 0;
  while (!ended_) {
    if (now >= interval_end_) {
      Rotate(now);
      continue;
    }
    // Checked before every operation: a process that was stopped and goes on sends nothing after its lease.
    if (stop_->load(std::memory_order_relaxed) || now.ns > lease_until_ns_->load(std::memory_order_relaxed)) {
      summary_.stopped = true;
      End(now);
      break;
    }
    if (due_.empty() || free_slots_.empty()) break;
    const DueHeap::Entry next = due_.top();
    if (next.due_ns > now.ns) break;
    Stream& stream = streams_[next.stream];
    if (now.ns - next.due_ns > point_.max_backlog_ns) {
      DropLateArrivals(stream, now.ns);
      due_.ReplaceTop({point_.timeline.start().ns + stream.arrivals.due_ns(), next.stream});
      continue;
    }
    if (Send(next.stream, now) == Sent::kHeld) {
      due_.Pop();
      stream.queued = false;
      held_streams_.push_back(next.stream);
    } else if (HasRoom(stream)) {
      due_.ReplaceTop({point_.timeline.start().ns + stream.arrivals.due_ns(), next.stream});
    } else {
      due_.Pop();
      stream.queued = false;
    }
    if (++batch >= kMaxBatch && engine_->in_flight() > 0) return now;
  }
  if (ended_) return now;
  MonoTime wake = interval_end_;
  if (!due_.empty() && !free_slots_.empty()) wake = std::min(wake, MonoTime{due_.top().due_ns});
  if (!held_streams_.empty()) wake = std::min(wake, now + kRetryNs);
  return wake;
}

Generator::Sent Generator::Send(uint32_t index, MonoTime& now) {
  Stream& stream = streams_[index];
  if (!stream.held) stream.held = stream.operations.Next();
  const Operation& operation = *stream.held;
  if (MustWait(stream, operation)) {
    stream.waiting = true;
    return Sent::kHeld;
  }
  const int64_t due_ns = point_.timeline.start().ns + stream.arrivals.due_ns();
  const Slot slot{.due_ns = due_ns,
                  .stream = index,
                  .point_serial = point_serial_,
                  .kind = operation.kind,
                  .on_time = !stream.waiting && due_ns >= slots_free_since_.ns};
  Completion completion;
  const SubmitResult result = engine_->Submit(operation, free_slots_.back(), completion);
  if (result == SubmitResult::kBusy) {
    stream.waiting = true;
    return Sent::kHeld;
  }
  ++recorder_->current().operations[slot.kind].sent;
  stream.held.reset();
  stream.waiting = false;
  stream.arrivals.Advance();
  if (result == SubmitResult::kAccepted) {
    slots_[free_slots_.back()] = slot;
    free_slots_.pop_back();
    ++stream.in_flight;
    if (slot.kind == v1::OPERATION_CREATE) ++stream.creates_in_flight;
    now = clock_->Now();
    return Sent::kContinue;
  }
  now = completion.done;
  if (now >= interval_end_) Rotate(now);
  if (ended_) {
    summary_.unfinished_age.Record(point_.timeline.end().ns - due_ns);
  } else {
    Record(slot, completion);
  }
  return Sent::kContinue;
}

bool Generator::MustWait(const Stream& stream, const Operation& operation) const {
  return operation.kind == v1::OPERATION_REMOVE && stream.creates_in_flight > 0;
}

void Generator::DropLateArrivals(Stream& stream, int64_t now_ns) {
  while (now_ns - (point_.timeline.start().ns + stream.arrivals.due_ns()) > point_.max_backlog_ns) {
    stream.arrivals.Advance();
    ++recorder_->current().dropped;
  }
}

void Generator::Enqueue(uint32_t index, bool waiting) {
  Stream& stream = streams_[index];
  stream.waiting = waiting;
  stream.queued = true;
  due_.Push({point_.timeline.start().ns + stream.arrivals.due_ns(), index});
}

void Generator::RetryHeld(MonoTime& now) {
  size_t kept = 0;
  for (size_t i = 0; i < held_streams_.size(); ++i) {
    const uint32_t index = held_streams_[i];
    Stream& stream = streams_[index];
    DropLateArrivals(stream, now.ns);
    const bool due = point_.timeline.start().ns + stream.arrivals.due_ns() <= now.ns;
    if (ended_ || !due || free_slots_.empty() || Send(index, now) == Sent::kHeld) {
      held_streams_[kept++] = index;
    } else if (HasRoom(stream) && !stream.queued) {
      Enqueue(index, point_.timeline.start().ns + stream.arrivals.due_ns() < now.ns);
    }
  }
  held_streams_.resize(kept);
}

void Generator::OnCompletion(const Completion& completion) {
  const auto token = static_cast<uint32_t>(completion.token);
  const Slot slot = slots_[token];
  const bool of_this_point = slot.point_serial == point_serial_;
  // Before the slot is given back: what is done after the window is unfinished in it.
  if (of_this_point && !ended_ && completion.done >= interval_end_) Rotate(completion.done);
  slots_[token].point_serial = 0;
  if (free_slots_.empty()) slots_free_since_ = completion.done;
  free_slots_.push_back(token);
  if (ended_ || !of_this_point) return;

  Stream& stream = streams_[slot.stream];
  --stream.in_flight;
  if (slot.kind == v1::OPERATION_CREATE) --stream.creates_in_flight;
  Record(slot, completion);
  if (!stream.queued && !stream.held && HasRoom(stream)) {
    Enqueue(slot.stream, point_.timeline.start().ns + stream.arrivals.due_ns() < completion.done.ns);
  }
}

void Generator::Record(const Slot& slot, const Completion& completion) {
  IntervalRecord& interval = recorder_->current();
  OperationRecord& operation = interval.operations[slot.kind];
  operation.calls += completion.calls;
  operation.extra_calls += completion.extra_calls;
  if (completion.outcome == kOk) {
    operation.response.Record(completion.done.ns - slot.due_ns);
    operation.service.Record(completion.done - completion.sent);
    operation.bytes += completion.bytes;
  } else {
    ++operation.failures[std::min<size_t>(completion.outcome, OperationRecord::kOutcomes - 1)];
    operation.failed_response.Record(completion.done.ns - slot.due_ns);
  }
  if (slot.on_time) interval.schedule_lag.Record(completion.sent.ns - slot.due_ns);
}

void Generator::BeginInterval(uint32_t index) {
  if (point_.window != nullptr) point_.timeline.Resize(point_.window->warmup_ns(), point_.window->measure_ns());
  IntervalRecord& record = recorder_->current();
  record.index = index;
  record.interval = point_.timeline.IntervalAt(index);
  interval_end_ = point_.timeline.start() + (record.interval.start_ns + record.interval.length_ns);
  if (index == point_.timeline.warmup_count()) procedures_at_start_ = engine_->Procedures();
}

void Generator::Rotate(MonoTime now) {
  while (!ended_ && now >= interval_end_) {
    const IntervalRecord& current = recorder_->current();
    const uint32_t next = current.index + 1;
    if (current.interval.measured && current.interval.ends_phase) {
      End(interval_end_);
    } else {
      PublishInterval();
      BeginInterval(next);
    }
  }
}

void Generator::PublishInterval() {
  IntervalRecord& record = recorder_->current();
  record.in_flight = engine_->in_flight();
  const int64_t reconnects = engine_->reconnect_count();
  record.reconnects = reconnects - reconnects_seen_;
  reconnects_seen_ = reconnects;
  recorder_->Publish();
}

void Generator::End(MonoTime now) {
  ended_ = true;
  IntervalRecord& record = recorder_->current();
  const int64_t passed_ns = now - (point_.timeline.start() + record.interval.start_ns);
  record.interval.length_ns = std::clamp(passed_ns, int64_t{0}, record.interval.length_ns);
  record.last = true;
  CountUnfinished(now.ns);
  if (record.interval.measured) {
    summary_.procedures = engine_->Procedures();
    for (size_t i = 0; i < procedures_at_start_.size() && i < summary_.procedures.size(); ++i) {
      summary_.procedures[i].calls -= procedures_at_start_[i].calls;
      summary_.procedures[i].extra_calls -= procedures_at_start_[i].extra_calls;
    }
  }
  for (const Stream& stream : streams_) {
    summary_.distinct_files += static_cast<int64_t>(stream.operations.touched_files());
    summary_.distinct_bytes += static_cast<int64_t>(stream.operations.touched_bytes());
  }
  PublishInterval();
}

void Generator::CountUnfinished(int64_t end_ns) {
  for (const Slot& slot : slots_) {
    if (slot.point_serial == point_serial_ && slot.due_ns < end_ns)
      summary_.unfinished_age.Record(end_ns - slot.due_ns);
  }
  for (const Stream& stream : streams_) {
    ArrivalSchedule arrivals = stream.arrivals;
    for (;;) {
      const int64_t due_ns = point_.timeline.start().ns + arrivals.due_ns();
      if (due_ns >= end_ns) break;
      summary_.unfinished_age.Record(end_ns - due_ns);
      arrivals.Advance();
    }
  }
}

std::vector<Operation> Generator::Leftovers() const {
  std::vector<Operation> leftovers;
  for (const Stream& stream : streams_) {
    const std::vector<Operation> of_stream = stream.operations.Leftovers();
    leftovers.insert(leftovers.end(), of_stream.begin(), of_stream.end());
  }
  return leftovers;
}

}  // namespace crest
