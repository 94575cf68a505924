#include "prime/run/runner.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "base/units.h"
#include "base/version.h"
#include "google/protobuf/util/time_util.h"
#include "prime/observe/prometheus.h"
#include "prime/run/point_plan.h"
#include "results/judge.h"
#include "results/report.h"
#include "results/run_store.h"

namespace crest {
namespace {

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Nanoseconds(google::protobuf::util::TimeUtil::DurationToNanoseconds(duration));
}

// "user@host", for the refusal that another prime gets.
std::string WhoAmI() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const passwd* const user = getpwuid(getuid());
  return absl::StrCat(user != nullptr ? user->pw_name : absl::StrCat("uid ", getuid()).c_str(), "@", host);
}

std::string Progress(const FleetPrepareProgress& progress) {
  if (progress.bytes_total > 0) {
    return absl::StrCat(FormatBytes(progress.bytes_done), " of ", FormatBytes(progress.bytes_total));
  }
  if (progress.files_total > 0) {
    return absl::StrCat(static_cast<int64_t>(progress.files_done), " of ", static_cast<int64_t>(progress.files_total),
                        " files");
  }
  return "";
}

}  // namespace

RunOutcome Runner::Go() {
  absl::Status status = Begin();
  if (status.ok()) status = RunPlan();
  if (!status.ok()) {
    view_.Problem(WithAgentLog(status).message());
    outcome_.exit_code = disk_failed_ ? kExitInterrupted : ExitCodeOf(status);
  }
  // Saved before anything that may take its time: a second Ctrl-C then costs nothing any more.
  if (!points_.empty()) Report(status);
  End();
  if (points_.empty()) {
    RemoveFolder();
    view_.Message("nothing was measured, so no result was kept");
  }
  return outcome_;
}

void Runner::Interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    if (fleet_ != nullptr) fleet_->Interrupt();
  }
  view_.Message(
      "stopping the load everywhere; what was measured is saved. A second Ctrl-C ends crest at once and loses the load "
      "point that is running and the report");
}

void Runner::Abandon() {
  const std::lock_guard lock(mutex_);
  if (local_agent_ != nullptr) local_agent_->Kill();
}

absl::Status Runner::Begin() {
  const v1::RunSpec& spec = options_.spec;
  CREST_ASSIGN_OR_RETURN(plan_, MakeLoadPlan(spec.load()));
  CREST_ASSIGN_OR_RETURN(files_, FileSet::Create(spec.workload(), spec.seed()));
  const std::vector<double> rates = plan_->PlannedRates();
  CREST_RETURN_IF_ERROR(CheckFileSetBound(spec.workload(), *files_, rates));

  std::error_code ignored;
  out_existed_ = std::filesystem::exists(options_.out, ignored);
  const absl::Time now = absl::Now();
  absl::StatusOr<RunWriter> writer = RunWriter::Create(options_.out, spec.name(), now);
  // A folder that cannot be written is a wrong call, whatever errno said.
  if (!writer.ok()) return absl::InvalidArgumentError(writer.status().message());
  writer_ = *std::move(writer);

  CREST_ASSIGN_OR_RETURN(std::vector<AgentEndpoint> endpoints, Endpoints());
  CREST_RETURN_IF_ERROR(Open(std::move(endpoints)));

  header_.set_format_version(kRunFormatVersion);
  header_.set_run_id(writer_->run_id());
  header_.set_started_at(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone()));
  header_.set_version(kVersion);
  *header_.mutable_spec() = spec;
  header_.set_command(options_.command);
  header_.set_streams(options_.streams);
  for (const v1::HostInfo& host : fleet_->hosts()) *header_.add_hosts() = host;
  header_.mutable_planned_ops_per_sec()->Add(rates.begin(), rates.end());
  return writer_->WriteHeader(header_);
}

absl::StatusOr<std::vector<AgentEndpoint>> Runner::Endpoints() {
  std::vector<AgentEndpoint> endpoints;
  bool any_load = false;
  for (const v1::AgentSpec& agent : options_.spec.agents()) {
    endpoints.push_back({.address = agent.address(), .name = "", .observer = agent.observer()});
    any_load = any_load || !agent.observer();
  }
  if (any_load) return endpoints;

  view_.Phase("starting an agent on this host");
  std::string program = options_.agent_program;
  if (program.empty()) {
    CREST_ASSIGN_OR_RETURN(program, FindAgentProgram());
  }
  const std::vector<std::string> targets(options_.spec.target().begin(), options_.spec.target().end());
  CREST_ASSIGN_OR_RETURN(std::unique_ptr<LocalAgent> agent, LocalAgent::Start(program, targets));
  endpoints.push_back({.address = agent->address(), .name = "this host"});
  const std::lock_guard lock(mutex_);
  local_agent_ = std::move(agent);
  return endpoints;
}

absl::Status Runner::Open(std::vector<AgentEndpoint> endpoints) {
  view_.Phase(absl::StrCat("connecting to ", endpoints.size(), endpoints.size() == 1 ? " agent" : " agents"));
  v1::OpenSession open;
  open.set_crest_version(kVersion);
  open.set_run_id(writer_->run_id());
  open.set_prime(WhoAmI());
  *open.mutable_target() = options_.spec.target();
  *open.mutable_workload() = options_.spec.workload();
  open.set_seed(options_.spec.seed());
  open.set_stream_count(options_.streams);
  FleetOptions fleet_options = options_.fleet;
  fleet_options.on_wait = [this](const std::string& text) { view_.Phase(text); };
  auto fleet = std::make_unique<Fleet>(std::move(endpoints), fleet_options);
  {
    const std::lock_guard lock(mutex_);
    fleet_ = std::move(fleet);
    if (interrupted_) fleet_->Interrupt();
  }
  return fleet_->Open(open);
}

absl::Status Runner::RunPlan() {
  while (const std::optional<LoadStep> step = plan_->Next(judged_)) {
    CREST_RETURN_IF_ERROR(RunStep(*step));
  }
  return absl::OkStatus();
}

absl::Status Runner::RunStep(const LoadStep& step) {
  const v1::LoadSpec& load = options_.spec.load();
  const double rate = step.requested_ops_per_sec;
  // The layout follows the rate, so a lower rate is another file set, too: the agents then check more than they build.
  if (prepared_rate_ != rate) CREST_RETURN_IF_ERROR(Prepare(rate));
  view_.Phase("comparing clocks");
  CREST_RETURN_IF_ERROR(fleet_->MeasureClocks());

  const auto index = static_cast<uint32_t>(points_.size() + 1);
  const PointRequest request{.point = index,
                             .requested_ops_per_sec = rate,
                             .warmup = WarmupFor(load, options_.streams, rate),
                             .measure = FromProto(load.measure()),
                             .max_backlog = FromProto(load.max_backlog())};
  view_.BeginPoint(index, static_cast<uint32_t>(header_.planned_ops_per_sec_size()), rate, request.warmup,
                   request.measure);
  const PointOutcome point = fleet_->RunPoint(request, file_set_, [this](const IntervalView& interval) {
    view_.Interval({.elapsed_seconds = interval.start_seconds + 1,
                    .measured = interval.measured,
                    .ops_per_sec = interval.ops_per_sec,
                    .mean_response_ms = interval.mean_response_ms,
                    .mean_service_ms = interval.mean_service_ms,
                    .error_count = interval.error_count});
  });
  // A point that was stopped in its warm-up measured nothing.
  if (point.status.ok() || point.data.measured_ns() > 0) CREST_RETURN_IF_ERROR(SavePoint(point.data));
  return point.status;
}

absl::Status Runner::Prepare(double rate) {
  view_.Phase("preparing the file set");
  CREST_ASSIGN_OR_RETURN(const v1::Prepared prepared,
                         fleet_->Prepare(rate, [this](const FleetPrepareProgress& progress) {
                           view_.Phase(progress.phase, Progress(progress));
                         }));
  prepared_rate_ = rate;
  file_set_ = FileSetFor(*files_, rate, prepared);
  return absl::OkStatus();
}

void Runner::Observe(v1::PointData& point) {
  const v1::ObserveSpec& observe = options_.spec.observe();
  if (observe.queries().empty()) return;
  view_.Phase(absl::StrCat("asking ", observe.prometheus(), " for figures of the system under test"));
  const ObserveOptions options{.cancelled = [this] {
    const std::lock_guard lock(mutex_);
    return interrupted_;
  }};
  for (v1::ObservedFigure& figure : ObservePoint(observe, point, options)) *point.add_observed() = std::move(figure);
}

absl::Status Runner::SavePoint(v1::PointData point) {
  Observe(point);
  points_.push_back(point);
  judged_.push_back(JudgePoint(header_, point));
  view_.EndPoint(judged_.back());
  absl::Status written = writer_->WritePoint(point);
  disk_failed_ = !written.ok();
  return written;
}

void Runner::Report(const absl::Status& ended) {
  view_.Phase("writing the result");
  const v1::RunStatus status = ended.ok() ? v1::COMPLETE : v1::PARTIAL;
  const v1::RunResult result = JudgeRun(header_, points_, status, std::string(ended.message()));
  outcome_.folder = writer_->folder();
  if (ended.ok()) outcome_.exit_code = result.summary().valid() ? kExitValid : kExitNotValid;
  const absl::Status written = writer_->WriteResult(header_, points_, result);
  if (!written.ok()) {
    view_.Problem(absl::StrCat("the result cannot be written whole: ", written.message(),
                               "; the load points saved before are in ", writer_->folder()));
    outcome_.exit_code = kExitInterrupted;
  }
  view_.Clear();
  switch (options_.format) {
    case ReportFormat::kText:
      Write(absl::StrCat(TextReport(result, options_.colour), "report: ", writer_->folder(), "/report.html\n"));
      return;
    case ReportFormat::kCsv:
      Write(CurveCsv(result));
      break;
    case ReportFormat::kJson: {
      const absl::StatusOr<std::string> json = ToJson(result);
      if (json.ok()) Write(*json);
      if (!json.ok()) view_.Problem(json.status().message());
      break;
    }
  }
  view_.Message(absl::StrCat("report: ", writer_->folder(), "/report.html"));
}

void Runner::Write(const std::string& text) {
  if (options_.write) {
    options_.write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    view_.Problem("the report cannot be written to standard output; it is in the run's folder");
  }
}

void Runner::End() {
  if (fleet_ != nullptr) {
    if (!fleet_->hosts().empty()) view_.Phase("closing the sessions");
    const absl::Status closed = fleet_->Close();
    // After another error the sessions are known to be in disorder.
    if (!closed.ok() && !points_.empty()) view_.Message(absl::StrCat("warning: ", closed.message()));
  }
  if (local_agent_ != nullptr) local_agent_->End();
  view_.Clear();
}

void Runner::RemoveFolder() {
  if (!writer_) return;
  std::error_code ignored;
  std::filesystem::remove_all(writer_->folder(), ignored);
  if (!out_existed_) std::filesystem::remove(options_.out, ignored);  // only when empty
}

absl::Status Runner::WithAgentLog(const absl::Status& status) const {
  if (local_agent_ == nullptr || absl::IsCancelled(status) || absl::IsInvalidArgument(status)) return status;
  const std::string log = local_agent_->log();
  if (log.empty()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), "\nThe agent on this host said:\n", log));
}

}  // namespace crest
