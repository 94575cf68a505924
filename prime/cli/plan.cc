#include "prime/cli/plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "prime/run/point_plan.h"
#include "prime/spec/durations.h"
#include "workloads/file_set.h"

namespace crest {
namespace {

void AddLine(std::string* text, absl::string_view label, absl::string_view value) {
  constexpr size_t kLabelWidth = 14;
  absl::StrAppend(text, label, std::string(kLabelWidth - std::min(kLabelWidth, label.size()), ' '), value, "\n");
}

template <typename Enum>
std::string Lower(const std::string& name, Enum prefix) {
  return absl::AsciiStrToLower(absl::string_view(name).substr(absl::string_view(prefix).size()));
}

std::string LimitText(const v1::LimitSpec& limit) {
  std::string text = absl::StrCat("mean ", crest::FormatDuration(FromProto(limit.mean())));
  if (limit.has_p99()) absl::StrAppend(&text, ", p99 ", crest::FormatDuration(FromProto(limit.p99())));
  if (limit.has_errors()) absl::StrAppend(&text, ", errors ", FormatPercent(limit.errors()));
  return text;
}

// Columns as wide as their widest cell, the last one ragged.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, row[i], i + 1 == row.size() ? "" : std::string(widths[i] + 2 - row[i].size(), ' '));
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string StateOf(const v1::AgentCheck& agent) {
  if (agent.status().holder().empty()) return agent.observer() ? "free, observer" : "free";
  return absl::StrCat("held by ", agent.status().holder(), " for ",
                      crest::FormatDuration(absl::Seconds(agent.status().held_seconds())));
}

}  // namespace

absl::StatusOr<v1::CheckReport> MakePlan(const ParsedSpec& parsed) {
  const v1::RunSpec& spec = parsed.spec;
  CREST_ASSIGN_OR_RETURN(const FileSet files, FileSet::Create(spec.workload(), spec.seed()));
  CREST_RETURN_IF_ERROR(CheckFileSetBound(spec.workload(), files, parsed.rates));
  v1::CheckReport report;
  report.set_ok(true);
  *report.mutable_spec() = spec;
  report.set_streams(parsed.streams);
  absl::Duration length;
  for (const double rate : parsed.rates) {
    report.add_planned_ops_per_sec(rate);
    length += WarmupFor(spec.load(), parsed.streams, rate) + FromProto(spec.load().measure());
  }
  report.set_load_seconds(absl::ToDoubleSeconds(length));
  const double greatest = *std::max_element(parsed.rates.begin(), parsed.rates.end());
  const FileSetCounts counts = files.CountsAt(greatest);
  const auto io_files = static_cast<double>(counts.files);
  report.set_created_files(io_files + static_cast<double>(counts.non_io_files));
  report.set_created_bytes(io_files * files.mean_file_size());
  report.set_accessed_bytes(report.created_bytes() * spec.workload().file_set().accessed());
  for (const v1::Finding& finding : parsed.findings) *report.add_findings() = finding;
  return report;
}

v1::CheckReport ErrorReport(const ParsedSpec& parsed) {
  v1::CheckReport report;
  for (const SpecError& error : parsed.errors) {
    v1::CheckError& entry = *report.add_errors();
    entry.set_source(error.place.source);
    entry.set_line(static_cast<uint32_t>(error.place.line));
    entry.set_column(static_cast<uint32_t>(error.place.column));
    entry.set_message(error.message);
  }
  return report;
}

std::string PlanText(const v1::CheckReport& report) {
  const v1::RunSpec& spec = report.spec();
  const v1::Workload& workload = spec.workload();
  std::vector<std::string> rates;
  for (const double rate : report.planned_ops_per_sec()) rates.push_back(FormatRate(rate));
  std::string text;
  AddLine(&text, "name", absl::Utf8SafeCHexEscape(spec.name()));
  for (const std::string& target : spec.target()) AddLine(&text, "target", target);
  AddLine(&text, "workload",
          absl::StrCat(workload.name(), ", ", Lower(v1::Arrivals_Name(workload.arrivals()), "ARRIVALS_"),
                       " arrivals, response time from ",
                       Lower(v1::ResponseTime_Name(workload.response_time()), "RESPONSE_TIME_")));
  AddLine(&text, "load points",
          absl::StrCat(rates.size(), " (", Lower(v1::LoadPlan_Name(spec.load().plan()), "LOAD_PLAN_"),
                       "): ", absl::StrJoin(rates, "  "), " ops/s"));
  AddLine(&text, "limit", LimitText(spec.limit()));
  AddLine(&text, "streams", absl::StrCat(report.streams()));
  AddLine(&text, "file set",
          absl::StrCat(FormatBytes(report.created_bytes()), " created in ", FormatRate(report.created_files()),
                       " files, ", FormatBytes(report.accessed_bytes()), " accessed, at the greatest rate"));
  AddLine(&text, "duration",
          absl::StrCat(crest::FormatDuration(absl::Seconds(report.load_seconds())),
                       " of load, and the time to build the file set"));
  for (const v1::Finding& finding : report.findings()) {
    AddLine(&text, absl::AsciiStrToLower(v1::Severity_Name(finding.severity())),
            absl::StrCat(finding.message(), " (", finding.evidence(), ")"));
  }
  return text;
}

std::string AgentsText(const google::protobuf::RepeatedPtrField<v1::AgentCheck>& agents) {
  std::vector<std::vector<std::string>> rows = {{"AGENT", "VERSION", "HOST", "CPUS", "MEMORY", "ENGINES", "STATE"}};
  for (const v1::AgentCheck& agent : agents) {
    if (!agent.has_status()) {
      rows.push_back({agent.address(), "-", "-", "-", "-", "-", "not reached"});
      continue;
    }
    const v1::HostInfo& host = agent.status().host();
    std::vector<std::string> engines;
    for (const v1::EngineInfo& engine : agent.status().engines()) engines.push_back(engine.scheme());
    rows.push_back({agent.address(), host.crest_version(), host.host_name(), absl::StrCat(host.cpu_count()),
                    FormatBytes(host.memory_bytes()), absl::StrJoin(engines, ","), StateOf(agent)});
  }
  return Table(rows);
}

}  // namespace crest
