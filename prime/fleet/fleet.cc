#include "prime/fleet/fleet.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/util/time_util.h"
#include "prime/fleet/clock_estimator.h"
#include "prime/fleet/sessions.h"
#include "results/observer_collector.h"

namespace crest {
namespace {

constexpr absl::Duration kProbeTimeout = absl::Seconds(10);
constexpr int64_t kProgressIntervalNs = 200'000'000;

google::protobuf::Duration ToProto(absl::Duration duration) {
  return google::protobuf::util::TimeUtil::NanosecondsToDuration(absl::ToInt64Nanoseconds(duration));
}

v1::PrimeMessage ProbeMessage(int sequence) {
  v1::PrimeMessage message;
  message.mutable_clock_probe()->set_sequence(static_cast<uint32_t>(sequence));
  message.mutable_clock_probe()->set_prime_ns(RealClock().Now().ns);
  return message;
}

// Sums what the agents report, of each the latest.
FleetPrepareProgress Sum(const std::vector<v1::PrepareProgress>& agents) {
  FleetPrepareProgress sum;
  double least = 2;
  for (const v1::PrepareProgress& agent : agents) {
    sum.bytes_done += agent.bytes_done();
    sum.bytes_total += agent.bytes_total();
    sum.files_done += agent.files_done();
    sum.files_total += agent.files_total();
    const double ratio = agent.files_total() > 0 ? agent.files_done() / agent.files_total() : 1;
    if (!agent.phase().empty() && ratio < least) {
      least = ratio;
      sum.phase = agent.phase();
    }
  }
  return sum;
}

// RFC 3339, to the nanosecond: a capture of the wire is compared with it.
std::string WallTime(MonoTime moment) {
  const RealClock clock;
  const MonoTime before = clock.Now();
  const absl::Time wall = absl::Now();
  const int64_t now_ns = before.ns + (clock.Now() - before) / 2;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ", wall + absl::Nanoseconds(moment.ns - now_ns), absl::UTCTimeZone());
}

void AddTo(v1::Prepared& sum, const v1::Prepared& agent) {
  sum.set_files_created(sum.files_created() + agent.files_created());
  sum.set_files_reused(sum.files_reused() + agent.files_reused());
  sum.set_bytes_created(sum.bytes_created() + agent.bytes_created());
  sum.set_bytes_total(sum.bytes_total() + agent.bytes_total());
  sum.set_bytes_accessed(sum.bytes_accessed() + agent.bytes_accessed());
  sum.set_calls(sum.calls() + agent.calls());
}

// Takes what an observer says during a load point; true once it has ended it.
absl::StatusOr<bool> Observe(const v1::AgentMessage& message, uint32_t point, ObserverCollector& observer) {
  if (message.has_point_done()) return message.point_done().point() == point;
  if (!message.has_interval()) return false;
  CREST_RETURN_IF_ERROR(observer.Add(message.interval()));
  return false;
}

}  // namespace

Fleet::Fleet(std::vector<AgentEndpoint> agents, const FleetOptions& options)
    : options_(options), sessions_(std::make_unique<FleetSessions>(std::move(agents), options)) {}

Fleet::~Fleet() = default;

absl::StatusOr<std::unique_ptr<Fleet>> Fleet::Connect(std::vector<AgentEndpoint> agents, const v1::OpenSession& open,
                                                      const FleetOptions& options) {
  auto fleet = std::make_unique<Fleet>(std::move(agents), options);
  CREST_RETURN_IF_ERROR(fleet->Open(open));
  return fleet;
}

absl::Status Fleet::Open(const v1::OpenSession& open) {
  CREST_ASSIGN_OR_RETURN(hosts_, sessions_->Open(open));
  return absl::OkStatus();
}

size_t Fleet::size() const { return sessions_->size(); }
const std::vector<v1::HostInfo>& Fleet::hosts() const { return hosts_; }
const std::vector<ClockEstimate>& Fleet::clocks() const { return clocks_; }
void Fleet::Interrupt() { sessions_->Interrupt(); }
absl::Status Fleet::Close() { return sessions_->Close(); }

absl::Status Fleet::MeasureClocks() {
  std::vector<ClockEstimator> estimators(size());
  std::vector<int> answered(size(), 0);
  for (size_t i = 0; i < size(); ++i) sessions_->Send(i, ProbeMessage(0));
  FleetStep step = sessions_->StepFor("comparing clocks", kProbeTimeout);
  const auto take = [&](size_t i, const v1::AgentMessage& message, MonoTime at) -> absl::StatusOr<bool> {
    if (!message.has_clock_reply()) return false;
    const v1::ClockReply& reply = message.clock_reply();
    if (reply.sequence() != static_cast<uint32_t>(answered[i])) return false;
    estimators[i].Add(reply.prime_ns(), reply.received_ns(), reply.replied_ns(), at.ns);
    if (++answered[i] < options_.clock_probes) {
      sessions_->Send(i, ProbeMessage(answered[i]));
      return false;
    }
    if (!estimators[i].best()) return absl::InternalError("its clock answers cannot be: they go backwards");
    return true;
  };
  CREST_RETURN_IF_ERROR(sessions_->Wait(step, take));
  clocks_.resize(size());
  clock_known_.resize(size());
  for (size_t i = 0; i < size(); ++i) {
    if (!estimators[i].best()) continue;  // an observer that did not answer: what was known of it holds
    clocks_[i] = *estimators[i].best();
    clock_known_[i] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Prepared> Fleet::Prepare(double requested_ops_per_sec,
                                            const std::function<void(const FleetPrepareProgress&)>& progress) {
  v1::PrimeMessage message;
  message.mutable_prepare()->set_requested_ops_per_sec(requested_ops_per_sec);
  std::vector<v1::PrepareProgress> latest(size());
  v1::Prepared sum;
  MonoTime shown;
  FleetStep step = sessions_->StepFor("preparing the file set", options_.prepare_stall);
  for (size_t i = 0; i < size(); ++i) {
    if (i < sessions_->load_size()) {
      sessions_->Send(i, message);
    } else {
      step.pending[i] = false;  // an observer needs no files
    }
  }
  step.announce = false;
  const auto take = [&](size_t i, const v1::AgentMessage& answer, MonoTime at) -> absl::StatusOr<bool> {
    if (answer.has_prepared()) {
      AddTo(sum, answer.prepared());
      latest[i].set_bytes_done(latest[i].bytes_total());
      latest[i].set_files_done(latest[i].files_total());
      return true;
    }
    if (!answer.has_prepare_progress()) return false;
    const v1::PrepareProgress& now = answer.prepare_progress();
    const bool moved = now.phase() != latest[i].phase() || now.files_done() > latest[i].files_done() ||
                       now.bytes_done() > latest[i].bytes_done();
    if (moved) step.deadline[i] = at + options_.prepare_stall;
    latest[i] = now;
    if (progress && at - shown >= kProgressIntervalNs) {
      shown = at;
      progress(Sum(latest));
    }
    return false;
  };
  CREST_RETURN_IF_ERROR(sessions_->Wait(step, take));
  return sum;
}

void Fleet::StartPoint(const PointRequest& request, MonoTime start) {
  v1::PrimeMessage message;
  v1::StartPoint& point = *message.mutable_start_point();
  point.set_point(request.point);
  point.set_requested_ops_per_sec(request.requested_ops_per_sec);
  *point.mutable_warmup() = ToProto(request.warmup);
  *point.mutable_measure() = ToProto(request.measure);
  *point.mutable_max_backlog() = ToProto(request.max_backlog);
  for (size_t i = 0; i < size(); ++i) {
    if (i >= sessions_->load_size() && !clock_known_[i]) continue;  // an observer would start at some other time
    point.set_start_ns(start.ns + clocks_[i].offset_ns);
    sessions_->Send(i, message);
  }
}

absl::Duration Fleet::Lead() const {
  int64_t worst_bound_ns = 0;
  for (size_t i = 0; i < sessions_->load_size(); ++i) worst_bound_ns = std::max(worst_bound_ns, clocks_[i].bound_ns);
  // A bound is half a round trip; a message to each agent takes its time to be written.
  return absl::Milliseconds(500) + absl::Milliseconds(static_cast<int64_t>(size())) +
         absl::Nanoseconds(8 * worst_bound_ns);
}

PointOutcome Fleet::RunPoint(const PointRequest& request, const v1::FileSetData& file_set,
                             const std::function<void(const IntervalView&)>& on_interval) {
  clocks_.resize(size());
  clock_known_.resize(size());
  const size_t load_size = sessions_->load_size();
  std::vector<std::string> names;
  for (size_t i = 0; i < load_size; ++i) names.push_back(sessions_->name(i));
  std::vector<ObserverCollector> observers;
  for (size_t i = load_size; i < size(); ++i) observers.emplace_back(request.point, sessions_->name(i));
  PointMerger merger(request.point, request.requested_ops_per_sec, names);
  merger.SetFileSet(file_set);
  for (size_t i = 0; i < load_size; ++i) {
    merger.SetClockBound(static_cast<uint32_t>(i), absl::Nanoseconds(clocks_[i].bound_ns));
  }

  bool stopped = false;
  double shown = -1;
  const auto take = [&](size_t i, const v1::AgentMessage& message, MonoTime) -> absl::StatusOr<bool> {
    if (i >= load_size) return Observe(message, request.point, observers[i - load_size]);
    const auto agent = static_cast<uint32_t>(i);
    if (message.has_point_done() && message.point_done().point() == request.point) {
      stopped |= message.point_done().stopped();
      CREST_RETURN_IF_ERROR(merger.Add(agent, message.point_done()));
      return true;
    }
    if (!message.has_interval()) return false;
    CREST_RETURN_IF_ERROR(merger.Add(agent, message.interval()));
    const IntervalView* latest = merger.latest();
    if (on_interval && latest != nullptr && latest->start_seconds > shown) {
      shown = latest->start_seconds;
      on_interval(*latest);
    }
    return false;
  };

  const absl::Duration lead = Lead();
  const MonoTime start = RealClock().Now() + lead;
  const std::string started_at = WallTime(start);
  StartPoint(request, start);
  FleetStep step = sessions_->StepFor(absl::StrCat("running load point ", request.point),
                                      lead + request.warmup + request.measure + options_.point_grace);
  step.announce = false;
  PointOutcome outcome;
  outcome.status = sessions_->Wait(step, take);
  if (!outcome.status.ok()) {
    stopped = true;
    v1::PrimeMessage stop;
    stop.mutable_stop_point();
    sessions_->SendToAll(stop);
    step.winding_down = true;
    step.deadline.assign(size(), RealClock().Now() + options_.stop_timeout);
    sessions_->Wait(step, take).IgnoreError();
  }
  for (size_t i = 0; i < size(); ++i) {
    if (sessions_->present(i)) continue;
    if (i < load_size) {
      merger.SetLost(static_cast<uint32_t>(i));
    } else {
      observers[i - load_size].SetLost();
    }
  }
  outcome.data = merger.Finish(started_at, request.warmup, stopped);
  for (const ObserverCollector& observer : observers) {
    *outcome.data.add_observers() = observer.Finish(outcome.data.measured_ns());
  }
  return outcome;
}

}  // namespace crest
