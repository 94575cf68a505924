#include "results/point_findings.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "results/histogram.h"
#include "results/observed.h"

namespace crest {
namespace {

constexpr double kSaturated = 0.95;  // of the streams' slots
constexpr double kServerCpuBusy = 0.9;
constexpr absl::string_view kConnectionLost = "CONNECTION_LOST";

std::string Ms(double ms) { return absl::StrFormat("%.3f ms", ms); }

// Collects the findings of one point.
class Judge {
 public:
  Judge(const v1::RunSpec& spec, const Criteria& criteria, const v1::PointData& data, v1::LoadPoint* point)
      : spec_(spec), criteria_(criteria), data_(data), point_(*point) {}

  void Run() {
    CheckInterrupted();
    CheckAgents();
    CheckAchieved();
    CheckErrors();
    CheckDropped();
    CheckMix();
    CheckScheduleLag();
    CheckReconnects();
    CheckStreams();
    CheckFileSet();
    CheckObserved();
    CheckObservers();
    CheckServerCpu();
    std::stable_sort(point_.mutable_findings()->begin(), point_.mutable_findings()->end(),
                     [](const v1::Finding& a, const v1::Finding& b) { return a.severity() > b.severity(); });
  }

 private:
  void Add(absl::string_view code, v1::Severity severity, std::string message, std::string evidence) {
    *point_.add_findings() = MakeFinding(code, severity, std::move(message), std::move(evidence));
  }

  void CheckInterrupted() {
    if (!data_.stopped() && data_.measured_ns() > 0) return;
    Add("interrupted", v1::INVALID,
        "The load point was interrupted before its end; run it again for a figure that counts.",
        absl::StrFormat("%.1f s measured", point_.measured_seconds()));
  }

  void CheckAgents() {
    std::vector<std::string> lost;
    for (const v1::AgentData& agent : data_.agents()) {
      if (agent.lost()) lost.push_back(agent.address());
    }
    if (lost.empty()) return;
    Add("agent_lost", v1::INVALID,
        "Not every agent was there throughout, so the load was not the one requested; see that agent's log and the "
        "network to it, then run the point again.",
        absl::StrCat(lost.size(), " of ", data_.agents_size(), " agents lost: ", absl::StrJoin(lost, ", ")));
  }

  void CheckAchieved() {
    const double requested = point_.requested_ops_per_sec();
    if (point_.achieved_ops_per_sec() >= criteria_.least_achieved * requested) return;
    Add("achieved_below_requested", v1::INVALID,
        "The target did not keep up with the requested rate; the curve ends before it unless the agents were the "
        "limit (see the schedule lag and their CPU).",
        absl::StrFormat("achieved %.1f of %.1f ops/s (%.1f %%), required %s%s", point_.achieved_ops_per_sec(),
                        requested, 100 * point_.achieved_ops_per_sec() / requested,
                        FormatPercent(criteria_.least_achieved), ServerSide()));
  }

  void CheckErrors() {
    const double errors = point_.error_count();
    if (errors == 0) return;
    const double all = errors + point_.operation_count();
    const bool invalid = errors > criteria_.most_errors * all;
    Add("errors", invalid ? v1::INVALID : v1::NOTE,
        invalid ? "Too many operations failed; see which errors the target gave and mend their cause."
                : "Some operations failed, fewer than the allowed share.",
        absl::StrFormat("%.0f of %.0f operations failed (%s), allowed %s: %s", errors, all, FormatPercent(errors / all),
                        FormatPercent(criteria_.most_errors), ErrorNames()));
  }

  // "12 READ TIMEOUT, 3 CREATE NFS3ERR_NOSPC", the most frequent first.
  std::string ErrorNames() const {
    constexpr size_t kShown = 5;
    std::vector<std::pair<double, std::string>> errors;
    for (const v1::LoadPointOperation& operation : point_.operations()) {
      for (const v1::LoadPointError& error : operation.errors()) {
        errors.emplace_back(error.count(), absl::StrCat(operation.name(), " ", error.name()));
      }
    }
    std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    const bool more = errors.size() > kShown;
    if (more) errors.resize(kShown);
    return absl::StrCat(absl::StrJoin(errors, ", ",
                                      [](std::string* out, const auto& error) {
                                        absl::StrAppendFormat(out, "%.0f %s", error.first, error.second);
                                      }),
                        more ? ", …" : "");
  }

  void CheckDropped() {
    if (data_.dropped_count() == 0) return;
    Add("dropped_arrivals", v1::INVALID,
        "Arrivals waited longer than max_backlog and were dropped: the target is overloaded at this rate. Lower the "
        "rate, or allow a longer backlog.",
        absl::StrCat(data_.dropped_count(), " arrivals dropped"));
  }

  void CheckMix() {
    const double n = point_.operation_count();
    if (n == 0) return;
    std::vector<std::string> off;
    for (const v1::LoadPointOperation& operation : point_.operations()) {
      const double target = operation.target_share();
      const double sigma = std::sqrt(target * (1 - target) / n);
      const double tolerance = std::max(criteria_.mix_tolerance, 3 * sigma);
      if (std::fabs(operation.share() - target) <= tolerance) continue;
      off.push_back(absl::StrFormat("%s %.2f %% instead of %.2f %% (± %.2f)", operation.name(), operation.share() * 100,
                                    target * 100, tolerance * 100));
    }
    if (off.empty()) return;
    Add("mix_off_target", v1::INVALID,
        "The operations done were not the workload's mix: some kind fails or is starved. See the errors by operation; "
        "a longer measurement narrows chance.",
        absl::StrJoin(off, ", "));
  }

  void CheckScheduleLag() {
    Histogram lag;
    if (!lag.Merge(data_.schedule_lag()).ok()) return;
    const double p99_ms = lag.RawQuantileNs(0.99) / 1e6;
    const double most_ms = MostScheduleLagMs(criteria_, point_.mean_response_ms());
    if (p99_ms <= most_ms) return;
    Add("schedule_lag", v1::INVALID,
        "The agents sent operations late although streams were free: they were the limit, not the target. Use more "
        "agents or free their CPUs.",
        absl::StrFormat("p99 %s, allowed %s", Ms(p99_ms), Ms(most_ms)));
  }

  void CheckReconnects() {
    double lost = 0;
    for (const v1::LoadPointOperation& operation : point_.operations()) {
      for (const v1::LoadPointError& error : operation.errors()) {
        if (error.name() == kConnectionLost) lost += error.count();
      }
    }
    if (data_.reconnect_count() == 0 && lost == 0) return;
    Add("reconnected", v1::WARNING,
        "Connections to the target broke during the load point, as when a server restarts; its times hold the outage. "
        "Run it again for an undisturbed figure.",
        absl::StrFormat("%d connections made anew, %.0f operations lost with their connection", data_.reconnect_count(),
                        lost));
  }

  void CheckStreams() {
    if (!criteria_.slots.has_value() || *criteria_.slots == 0) return;
    const double busy = point_.achieved_ops_per_sec() * point_.mean_service_ms() / 1e3;
    if (busy < kSaturated * *criteria_.slots) return;
    Add("streams_saturated", v1::WARNING,
        "All streams were busy: the number of streams, not the target alone, bounded the rate. Set load.streams "
        "higher.",
        absl::StrFormat("%.1f of %.0f streams busy on average", busy, *criteria_.slots));
  }

  void CheckFileSet() {
    const v1::FileSetSpec& file_set = spec_.workload().file_set();
    if (!file_set.has_max_bytes() || !file_set.has_bytes_per_op_rate()) return;
    const double wanted = file_set.bytes_per_op_rate() * point_.requested_ops_per_sec();
    if (wanted <= file_set.max_bytes()) return;
    Add("small_file_set", v1::WARNING,
        "file_set.max_bytes kept the file set smaller than the rate asks for, so more of it fits into caches.",
        absl::StrCat(FormatBytes(file_set.max_bytes()), " instead of ", FormatBytes(wanted)));
  }

  void CheckObserved() {
    std::vector<std::string> failed;
    for (const v1::ObservedFigure& figure : data_.observed()) {
      if (!figure.error().empty()) failed.push_back(absl::StrCat(figure.name(), ": ", figure.error()));
    }
    if (failed.empty()) return;
    Add("observe_failed", v1::WARNING,
        "Figures of the system under test are missing beside this load point; the load itself is not touched by that. "
        "Try the queries of observe in the Prometheus server's own web page.",
        absl::StrCat(failed.size(), " of ", data_.observed_size(), " queries: ", absl::StrJoin(failed, "; ")));
  }

  void CheckObservers() {
    std::vector<std::string> lost;
    for (const v1::ObserverData& observer : data_.observers()) {
      if (observer.lost()) lost.push_back(observer.address());
    }
    if (lost.empty()) return;
    Add("observer_lost", v1::WARNING,
        "An observer was not there throughout, so figures of its host are missing or cover a part of the window; the "
        "load itself is not touched by that. See that agent's log and the network to it.",
        absl::StrCat(lost.size(), " of ", data_.observers_size(), " observers lost: ", absl::StrJoin(lost, ", ")));
  }

  void CheckServerCpu() {
    std::vector<std::string> busy;
    for (const v1::ObserverData& observer : data_.observers()) {
      for (const v1::ObservedFigure& figure : observer.figures()) {
        if (figure.name() != "cpu_busy_ratio" || figure.mean() < kServerCpuBusy) continue;
        busy.push_back(absl::StrFormat("%s %.1f %% of all its CPUs", observer.address(), 100 * figure.mean()));
      }
    }
    if (busy.empty()) return;
    Add("server_cpu_busy", v1::NOTE,
        "The CPUs of the server itself were used up: they are what bounds it at this rate, not its disks or the "
        "network.",
        absl::StrCat("mean over the window: ", absl::StrJoin(busy, ", ")));
  }

  // What was seen of the server side, for the evidence of a target that did not keep up.
  std::string ServerSide() const {
    constexpr int kShown = 6;
    std::string text;
    int shown = 0;
    for (const v1::ObservedFigure& figure : point_.observed()) {
      if (!figure.error().empty()) continue;
      absl::StrAppend(&text, text.empty() ? "; server side: " : ", ", figure.name(), " ",
                      FormatObserved(figure.name(), figure.mean()));
      if (++shown == kShown) break;
    }
    return text;
  }

  const v1::RunSpec& spec_;
  const Criteria& criteria_;
  const v1::PointData& data_;
  v1::LoadPoint& point_;
};

}  // namespace

v1::Finding MakeFinding(absl::string_view code, v1::Severity severity, std::string message, std::string evidence) {
  v1::Finding finding;
  finding.set_code(std::string(code));
  finding.set_severity(severity);
  finding.set_message(std::move(message));
  finding.set_evidence(std::move(evidence));
  return finding;
}

void AddPointFindings(const v1::RunSpec& spec, const Criteria& criteria, const v1::PointData& data,
                      v1::LoadPoint* point) {
  Judge(spec, criteria, data, point).Run();
}

}  // namespace crest
