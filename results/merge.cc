#include "results/merge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "results/histogram.h"

namespace crest {
namespace {

// No host does more in an interval; sums over a whole run stay far below 2^63.
constexpr int64_t kMaxCount = 1'000'000'000'000;
// Agents cut their intervals at the same planned times; what is nearer than this is the same interval.
constexpr int64_t kSameIntervalNs = 500'000'000;
// A stop reaches agents at different times; a window shorter by this much is no sign of loss.
constexpr int64_t kStopSlackNs = 2'000'000'000;

template <typename... Args>
absl::Status Malformed(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat("malformed report: ", args...));
}

absl::Status CheckCounts(std::initializer_list<int64_t> counts) {
  for (const int64_t count : counts) {
    if (count < 0 || count > kMaxCount) return Malformed("a count of ", count);
  }
  return absl::OkStatus();
}

absl::Status CheckHistograms(std::initializer_list<const v1::Histogram*> histograms) {
  Histogram scratch;
  for (const v1::Histogram* histogram : histograms) {
    scratch.Clear();
    CREST_RETURN_IF_ERROR(scratch.Merge(*histogram));
    if (scratch.count() > static_cast<uint64_t>(kMaxCount)) return Malformed("a histogram of ", scratch.count());
  }
  return absl::OkStatus();
}

absl::Status CheckOperation(v1::OperationKind kind) {
  if (kind == v1::OPERATION_UNSPECIFIED || !v1::OperationKind_IsValid(kind)) {
    return Malformed("operation ", static_cast<int>(kind), " is unknown; use one version of crest everywhere");
  }
  return absl::OkStatus();
}

absl::Status CheckHostLoad(const v1::HostLoad& load) {
  for (const double value :
       {load.cpu_busy_ratio(), load.agent_cpu_seconds(), load.rx_bytes_per_sec(), load.tx_bytes_per_sec()}) {
    if (!std::isfinite(value) || value < 0) return Malformed("a host load of ", value);
  }
  return absl::OkStatus();
}

// Everything that adding relies on, so that a report is added whole or not at all.
absl::Status CheckReport(const v1::IntervalReport& report) {
  if (report.start_ns() < 0 || report.length_ns() <= 0) {
    return Malformed("an interval of ", report.length_ns(), " ns from ", report.start_ns(), " ns");
  }
  CREST_RETURN_IF_ERROR(
      CheckCounts({report.dropped_count(), report.reconnect_count(), report.length_ns(), report.start_ns() / 1000}));
  CREST_RETURN_IF_ERROR(CheckHistograms({&report.response(), &report.service(), &report.schedule_lag()}));
  for (const v1::OperationCounts& counts : report.operations()) {
    CREST_RETURN_IF_ERROR(CheckOperation(counts.operation()));
    CREST_RETURN_IF_ERROR(CheckCounts(
        {counts.count(), counts.call_count(), counts.extra_call_count(), counts.bytes() / 1000, counts.sent_count()}));
    for (const v1::ErrorCount& error : counts.errors()) CREST_RETURN_IF_ERROR(CheckCounts({error.count()}));
  }
  for (const v1::OperationHistograms& histograms : report.histograms()) {
    CREST_RETURN_IF_ERROR(CheckOperation(histograms.operation()));
    CREST_RETURN_IF_ERROR(
        CheckHistograms({&histograms.response(), &histograms.service(), &histograms.failed_response()}));
  }
  return CheckHostLoad(report.host_load());
}

// For histograms that CheckHistograms has passed.
void Add(Histogram* into, const v1::Histogram& from) { into->Merge(from).IgnoreError(); }

struct Operation {
  int64_t count = 0;
  int64_t call_count = 0;
  int64_t extra_call_count = 0;
  int64_t bytes = 0;
  int64_t sent_count = 0;
  std::map<std::string, int64_t> errors;
  Histogram response;
  Histogram service;
  Histogram failed_response;

  void Add(const v1::OperationCounts& counts) {
    count += counts.count();
    call_count += counts.call_count();
    extra_call_count += counts.extra_call_count();
    bytes += counts.bytes();
    sent_count += counts.sent_count();
    for (const v1::ErrorCount& error : counts.errors()) errors[error.name()] += error.count();
  }

  void Add(const v1::OperationHistograms& histograms) {
    crest::Add(&response, histograms.response());
    crest::Add(&service, histograms.service());
    crest::Add(&failed_response, histograms.failed_response());
  }

  void Fill(v1::OperationKind kind, v1::OperationData* data) const {
    v1::OperationCounts* counts = data->mutable_counts();
    counts->set_operation(kind);
    counts->set_count(count);
    counts->set_call_count(call_count);
    counts->set_extra_call_count(extra_call_count);
    counts->set_bytes(bytes);
    counts->set_sent_count(sent_count);
    for (const auto& [name, n] : errors) {
      v1::ErrorCount* error = counts->add_errors();
      error->set_name(name);
      error->set_count(n);
    }
    v1::OperationHistograms* histograms = data->mutable_histograms();
    histograms->set_operation(kind);
    *histograms->mutable_response() = response.ToProto();
    *histograms->mutable_service() = service.ToProto();
    *histograms->mutable_failed_response() = failed_response.ToProto();
  }
};

int64_t ErrorCount(const v1::IntervalReport& report) {
  int64_t errors = 0;
  for (const v1::OperationCounts& counts : report.operations()) {
    for (const v1::ErrorCount& error : counts.errors()) errors += error.count();
  }
  return errors;
}

int64_t SuccessCount(const v1::IntervalReport& report) {
  int64_t count = 0;
  for (const v1::OperationCounts& counts : report.operations()) count += counts.count();
  return count;
}

// Mean of a rate or ratio, weighted by the length of what it was measured over.
struct WeightedMean {
  double sum = 0;
  double weight = 0;
  void Add(double value, double by) {
    sum += value * by;
    weight += by;
  }
  double value() const { return weight == 0 ? 0 : sum / weight; }
};

struct Interval {
  v1::IntervalData data;  // histograms as protos: a long point has many intervals
  std::set<uint32_t> reporting;

  void Add(uint32_t agent, const v1::IntervalReport& report, Histogram* scratch) {
    if (reporting.empty()) {
      data.set_start_ns(report.start_ns());
      data.set_measured(report.measured());
    }
    reporting.insert(agent);
    data.set_length_ns(std::max(data.length_ns(), report.length_ns()));
    data.set_count(data.count() + SuccessCount(report));
    data.set_error_count(data.error_count() + ErrorCount(report));
    data.set_dropped_count(data.dropped_count() + report.dropped_count());
    data.set_reconnect_count(data.reconnect_count() + report.reconnect_count());
    AddTo(data.mutable_response(), report.response(), scratch);
    AddTo(data.mutable_service(), report.service(), scratch);
    data.set_agents_reporting(static_cast<uint32_t>(reporting.size()));
  }

  IntervalView View() const {
    const auto mean_ms = [](const v1::Histogram& histogram) {
      double count = 0;
      for (const uint64_t n : histogram.count()) count += static_cast<double>(n);
      return count == 0 ? 0 : histogram.sum_ns() / count / 1e6;
    };
    IntervalView view;
    view.start_seconds = static_cast<double>(data.start_ns()) / 1e9;
    view.measured = data.measured();
    view.ops_per_sec = static_cast<double>(data.count()) / (static_cast<double>(data.length_ns()) / 1e9);
    view.mean_response_ms = mean_ms(data.response());
    view.mean_service_ms = mean_ms(data.service());
    view.error_count = static_cast<double>(data.error_count());
    view.agents_reporting = data.agents_reporting();
    return view;
  }

 private:
  static void AddTo(v1::Histogram* into, const v1::Histogram& from, Histogram* scratch) {
    scratch->Clear();
    crest::Add(scratch, *into);
    crest::Add(scratch, from);
    *into = scratch->ToProto();
  }
};

// Of one agent, over the measured window.
struct Agent {
  std::string address;
  double requested_ops_per_sec = 0;
  std::set<std::pair<bool, int64_t>> seen;  // measured, start
  int64_t measured_ns = 0;
  int64_t count = 0;
  int64_t error_count = 0;
  int64_t dropped_count = 0;
  int64_t reconnect_count = 0;
  Histogram response;
  Histogram service;
  Histogram schedule_lag;
  WeightedMean cpu_busy;
  WeightedMean rx_bytes_per_sec;
  WeightedMean tx_bytes_per_sec;
  double agent_cpu_seconds = 0;
  absl::Duration clock_bound;
  bool lost = false;
  std::optional<v1::PointDone> done;

  void Add(const v1::IntervalReport& report) {
    measured_ns += report.length_ns();
    count += SuccessCount(report);
    error_count += ErrorCount(report);
    dropped_count += report.dropped_count();
    reconnect_count += report.reconnect_count();
    crest::Add(&response, report.response());
    crest::Add(&service, report.service());
    crest::Add(&schedule_lag, report.schedule_lag());
    const double seconds = static_cast<double>(report.length_ns()) / 1e9;
    cpu_busy.Add(report.host_load().cpu_busy_ratio(), seconds);
    rx_bytes_per_sec.Add(report.host_load().rx_bytes_per_sec(), seconds);
    tx_bytes_per_sec.Add(report.host_load().tx_bytes_per_sec(), seconds);
    agent_cpu_seconds += report.host_load().agent_cpu_seconds();
  }

  bool MissedPartOf(int64_t window_ns) const { return measured_ns < window_ns - std::min(kStopSlackNs, window_ns / 2); }

  void Fill(int64_t window_ns, v1::AgentData* data) const {
    data->set_address(address);
    data->set_count(count);
    data->set_error_count(error_count);
    data->set_requested_ops_per_sec(requested_ops_per_sec);
    data->set_mean_response_ns(response.mean_ns());
    data->set_mean_service_ns(service.mean_ns());
    data->set_schedule_lag_p99_ns(std::llround(schedule_lag.RawQuantileNs(0.99)));
    data->set_dropped_count(dropped_count);
    data->set_reconnect_count(reconnect_count);
    data->set_cpu_busy_ratio(cpu_busy.value());
    data->set_agent_cpu_seconds(agent_cpu_seconds);
    data->set_rx_bytes_per_sec(rx_bytes_per_sec.value());
    data->set_tx_bytes_per_sec(tx_bytes_per_sec.value());
    data->set_clock_bound_ns(absl::ToInt64Nanoseconds(clock_bound));
    data->set_lost(lost || MissedPartOf(window_ns));
  }
};

// What agents say at the end of a point, added up.
void FillDone(const std::vector<Agent>& agents, v1::PointData* point) {
  Histogram unfinished_age;
  std::map<std::string, std::pair<int64_t, int64_t>> procedures;
  double distinct_files = 0;
  double distinct_bytes = 0;
  for (const Agent& agent : agents) {
    if (!agent.done.has_value()) continue;
    point->set_unfinished_count(point->unfinished_count() + agent.done->unfinished_count());
    point->set_stopped(point->stopped() || agent.done->stopped());
    Add(&unfinished_age, agent.done->unfinished_age());
    distinct_files += static_cast<double>(agent.done->distinct_files());
    distinct_bytes += static_cast<double>(agent.done->distinct_bytes());
    for (const v1::ProcedureCalls& calls : agent.done->procedures()) {
      auto& [in_mix, extra] = procedures[calls.procedure()];
      in_mix += calls.call_count();
      extra += calls.extra_call_count();
    }
  }
  *point->mutable_unfinished_age() = unfinished_age.ToProto();
  point->mutable_file_set()->set_distinct_files(distinct_files);
  point->mutable_file_set()->set_distinct_bytes(distinct_bytes);
  for (const auto& [name, counts] : procedures) {
    v1::ProcedureCalls* calls = point->add_procedures();
    calls->set_procedure(name);
    calls->set_call_count(counts.first);
    calls->set_extra_call_count(counts.second);
  }
}

}  // namespace

struct PointMerger::State {
  using IntervalKey = std::pair<int64_t, bool>;  // start, measured

  uint32_t point = 0;
  double requested_ops_per_sec = 0;
  std::vector<Agent> agents;
  std::map<v1::OperationKind, Operation> operations;
  std::map<IntervalKey, Interval> intervals;
  v1::FileSetData file_set;
  std::optional<IntervalView> latest;
  Histogram scratch;

  absl::Status CheckAddressee(uint32_t agent, uint32_t of_point) const {
    if (agent >= agents.size()) return Malformed("agent ", agent, " of ", agents.size());
    if (of_point != point) return Malformed("of load point ", of_point, " while ", point, " runs");
    return absl::OkStatus();
  }

  // The interval that `report` belongs to, made where there is none near it.
  Interval& FindInterval(const v1::IntervalReport& report) {
    const auto near = [&](std::map<IntervalKey, Interval>::iterator it) {
      return it->first.second == report.measured() && std::abs(it->first.first - report.start_ns()) < kSameIntervalNs;
    };
    for (auto it = intervals.lower_bound({report.start_ns() - kSameIntervalNs, false});
         it != intervals.end() && it->first.first < report.start_ns() + kSameIntervalNs; ++it) {
      if (near(it)) return it->second;
    }
    return intervals[{report.start_ns(), report.measured()}];
  }

  bool ReportedByAllPresent(const Interval& interval) const {
    for (uint32_t i = 0; i < agents.size(); ++i) {
      if (!agents[i].lost && !interval.reporting.contains(i)) return false;
    }
    return true;
  }

  void UpdateLatest() {
    for (auto it = intervals.rbegin(); it != intervals.rend(); ++it) {
      if (latest.has_value() && static_cast<double>(it->first.first) / 1e9 < latest->start_seconds) return;
      if (!ReportedByAllPresent(it->second)) continue;
      latest = it->second.View();
      return;
    }
  }
};

PointMerger::PointMerger(uint32_t point, double requested_ops_per_sec, std::vector<std::string> agents)
    : state_(std::make_unique<State>()) {
  state_->point = point;
  state_->requested_ops_per_sec = requested_ops_per_sec;
  state_->agents.resize(agents.size());
  for (size_t i = 0; i < agents.size(); ++i) {
    state_->agents[i].address = std::move(agents[i]);
    state_->agents[i].requested_ops_per_sec = requested_ops_per_sec / static_cast<double>(agents.size());
  }
}

PointMerger::~PointMerger() = default;

absl::Status PointMerger::Add(uint32_t agent, const v1::IntervalReport& report) {
  CREST_RETURN_IF_ERROR(state_->CheckAddressee(agent, report.point()));
  CREST_RETURN_IF_ERROR(CheckReport(report));
  Agent& sender = state_->agents[agent];
  if (!sender.seen.insert({report.measured(), report.start_ns()}).second) return absl::OkStatus();
  if (report.measured()) {
    sender.Add(report);
    for (const v1::OperationCounts& counts : report.operations()) state_->operations[counts.operation()].Add(counts);
    for (const v1::OperationHistograms& h : report.histograms()) state_->operations[h.operation()].Add(h);
  }
  state_->FindInterval(report).Add(agent, report, &state_->scratch);
  state_->UpdateLatest();
  return absl::OkStatus();
}

absl::Status PointMerger::Add(uint32_t agent, const v1::PointDone& done) {
  CREST_RETURN_IF_ERROR(state_->CheckAddressee(agent, done.point()));
  CREST_RETURN_IF_ERROR(CheckHistograms({&done.unfinished_age()}));
  CREST_RETURN_IF_ERROR(CheckCounts({done.unfinished_count(), done.distinct_files(), done.distinct_bytes() / 1000}));
  for (const v1::ProcedureCalls& calls : done.procedures()) {
    CREST_RETURN_IF_ERROR(CheckCounts({calls.call_count(), calls.extra_call_count()}));
  }
  std::optional<v1::PointDone>& known = state_->agents[agent].done;
  if (!known.has_value()) known = done;
  return absl::OkStatus();
}

void PointMerger::SetClockBound(uint32_t agent, absl::Duration bound) {
  if (agent < state_->agents.size()) state_->agents[agent].clock_bound = bound;
}

void PointMerger::SetRequested(uint32_t agent, double ops_per_sec) {
  if (agent < state_->agents.size()) state_->agents[agent].requested_ops_per_sec = ops_per_sec;
}

void PointMerger::SetLost(uint32_t agent) {
  if (agent >= state_->agents.size()) return;
  state_->agents[agent].lost = true;
  state_->UpdateLatest();
}

void PointMerger::SetFileSet(const v1::FileSetData& file_set) { state_->file_set = file_set; }

const IntervalView* PointMerger::latest() const { return state_->latest.has_value() ? &*state_->latest : nullptr; }

v1::PointData PointMerger::Finish(absl::string_view started_at, absl::Duration warmup, bool stopped) const {
  v1::PointData data;
  data.set_index(state_->point);
  data.set_requested_ops_per_sec(state_->requested_ops_per_sec);
  data.set_started_at(std::string(started_at));
  data.set_warmup_ns(absl::ToInt64Nanoseconds(warmup));
  data.set_stopped(stopped);
  int64_t window_ns = 0;
  Histogram response, service, schedule_lag;
  for (const Agent& agent : state_->agents) {
    window_ns = std::max(window_ns, agent.measured_ns);
    response.Merge(agent.response);
    service.Merge(agent.service);
    schedule_lag.Merge(agent.schedule_lag);
    data.set_dropped_count(data.dropped_count() + agent.dropped_count);
    data.set_reconnect_count(data.reconnect_count() + agent.reconnect_count);
  }
  data.set_measured_ns(window_ns);
  *data.mutable_response() = response.ToProto();
  *data.mutable_service() = service.ToProto();
  *data.mutable_schedule_lag() = schedule_lag.ToProto();
  for (const auto& [kind, operation] : state_->operations) operation.Fill(kind, data.add_operations());
  for (const auto& [key, interval] : state_->intervals) *data.add_intervals() = interval.data;
  for (const Agent& agent : state_->agents) agent.Fill(window_ns, data.add_agents());
  *data.mutable_file_set() = state_->file_set;
  FillDone(state_->agents, &data);
  return data;
}

}  // namespace crest
