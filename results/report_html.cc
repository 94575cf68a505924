// report.html: one file for people, whole without JavaScript but for the charts, which are drawn from the result
// that the page carries as JSON.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "results/html.h"
#include "results/observed.h"
#include "results/report.h"
#include "results/report_hosts.h"
#include "results/web/assets.h"

namespace crest {
namespace {

using Align = HtmlTable::Align;

constexpr absl::string_view kTitle = "crest report";

std::string Json(const google::protobuf::Message& message, bool indent) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.add_whitespace = indent;
  // A spec is printed with what it sets; the charts want every figure of a point, zero or not.
  options.always_print_primitive_fields = !indent;
  std::string json;
  if (const auto status = google::protobuf::util::MessageToJsonString(message, &json, options); !status.ok()) {
    return "null";
  }
  return json;
}

template <typename Message>
std::optional<double> Optional(bool has, const Message& message, double (Message::*get)() const) {
  return has ? std::optional<double>((message.*get)()) : std::nullopt;
}

bool HeadlineIsDue(const v1::RunResult& result) { return result.summary().response_time() != "sent"; }

std::string HeadlineTime(const v1::RunResult& result) {
  return HeadlineIsDue(result) ? "response time (due to done)" : "response time (sent to done, as SPECsfs counts it)";
}

const v1::LoadPoint* PeakPoint(const v1::RunResult& result) {
  for (const v1::LoadPoint& point : result.points()) {
    if (result.summary().peak_point() != 0 && point.index() == result.summary().peak_point()) return &point;
  }
  return nullptr;
}

// ---- findings ----------------------------------------------------------------------------------------------------

struct PlacedFinding {
  const v1::Finding* finding;
  uint32_t point;  // 0: of the run
};

std::vector<PlacedFinding> AllFindings(const v1::RunResult& result) {
  std::vector<PlacedFinding> all;
  for (const v1::Finding& finding : result.findings()) all.push_back({&finding, 0});
  for (const v1::LoadPoint& point : result.points()) {
    for (const v1::Finding& finding : point.findings()) all.push_back({&finding, point.index()});
  }
  std::stable_sort(all.begin(), all.end(), [](const PlacedFinding& a, const PlacedFinding& b) {
    return a.finding->severity() > b.finding->severity();
  });
  return all;
}

std::pair<absl::string_view, absl::string_view> SeverityClassAndName(v1::Severity severity) {
  switch (severity) {
    case v1::INVALID:
      return {"invalid", "does not count"};
    case v1::WARNING:
      return {"warning", "warning"};
    default:
      return {"note", "note"};
  }
}

std::string FindingsSection(const v1::RunResult& result) {
  const std::vector<PlacedFinding> all = AllFindings(result);
  if (all.empty()) return "";
  std::string items;
  for (const auto& [finding, point] : all) {
    const auto [css, name] = SeverityClassAndName(finding->severity());
    const std::string place = point == 0 ? "the run" : absl::StrCat("load point ", point);
    absl::StrAppend(&items, "<li class=\"", css, "\"><p><span class=\"mark\">", name, "</span> <strong>",
                    EscapeHtml(finding->evidence()), "</strong></p><p>", EscapeHtml(finding->message()),
                    " <span class=\"quiet\">", place, " · <code>", EscapeHtml(finding->code()),
                    "</code></span></p></li>\n");
  }
  return absl::StrCat("<section id=\"findings\"><h2>Findings</h2>\n<ul class=\"findings\">\n", items,
                      "</ul></section>\n");
}

// ---- headline ----------------------------------------------------------------------------------------------------

std::string WhyNotValid(const v1::RunResult& result) {
  std::vector<std::string> reasons;
  if (result.status() != v1::COMPLETE && !result.status_reason().empty()) reasons.push_back(result.status_reason());
  for (const v1::Finding& finding : result.findings()) {
    if (finding.severity() == v1::INVALID) reasons.push_back(finding.message());
  }
  if (reasons.empty()) return "see the findings below.";
  return absl::StrJoin(reasons, " ");
}

std::string HeadlineSentence(const v1::RunResult& result) {
  const v1::Summary& summary = result.summary();
  const auto valid =
      std::count_if(result.points().begin(), result.points().end(), [](const auto& point) { return point.valid(); });
  std::string text = absl::StrFormat("%d of %d load points are valid. ", valid, result.points_size());
  if (const v1::LoadPoint* peak = PeakPoint(result)) {
    absl::StrAppend(&text, "The highest within the limit is load point ", peak->index(), ": ",
                    FormatFigure(peak->achieved_ops_per_sec()), " ops/s at a mean ", HeadlineTime(result), " of ",
                    FormatMs(peak->mean_response_ms()), " ms. ");
    if (!summary.limit_reached()) {
      absl::StrAppend(&text, "No load point broke the limit, so the peak is a lower bound. ");
    }
  } else {
    absl::StrAppend(&text, "None is both valid and within the limit, so there is neither a peak nor an ORT. ");
  }
  absl::StrAppend(&text, summary.valid() ? "The result is valid." : "The result is not valid: ");
  if (!summary.valid()) absl::StrAppend(&text, WhyNotValid(result));
  return text;
}

std::string KeyFigure(absl::string_view value, absl::string_view unit, absl::string_view label) {
  return absl::StrCat("<div><dt>", EscapeHtml(label), "</dt><dd>", EscapeHtml(value), " <small>", EscapeHtml(unit),
                      "</small></dd></div>\n");
}

std::string Header(const v1::RunResult& result) {
  const v1::Summary& summary = result.summary();
  const bool peak = PeakPoint(result) != nullptr;
  const std::string rule = summary.ort_rule().empty() ? "" : absl::StrCat(" by rule ", summary.ort_rule());
  return absl::StrCat("<header>\n<p class=\"quiet\">", kTitle, " · ", EscapeHtml(result.started_at()), " · run <code>",
                      EscapeHtml(result.run_id()), "</code></p>\n<h1>", EscapeHtml(result.name()),
                      " <span class=\"verdict ", summary.valid() ? "good\">valid" : "bad\">not valid",
                      "</span></h1>\n<p class=\"quiet\">", EscapeHtml(result.spec().workload().name()), " on ",
                      EscapeHtml(absl::StrJoin(result.spec().target(), ", ")), "</p>\n<dl class=\"figures\">\n",
                      KeyFigure(peak ? FormatFigure(summary.peak_ops_per_sec()) : "–", "ops/s",
                                summary.limit_reached() || !peak ? "Peak" : "Peak, at least"),
                      KeyFigure(peak ? absl::StrFormat("%.2f", summary.overall_response_time_ms()) : "–", "ms",
                                absl::StrCat("Overall response time (ORT)", rule)),
                      KeyFigure(absl::StrCat(summary.limit_ms()), "ms", "Limit of the mean response time"),
                      "</dl>\n<p>", EscapeHtml(HeadlineSentence(result)), "</p>\n</header>\n");
}

// ---- load points -------------------------------------------------------------------------------------------------

std::string ObservedHint(const v1::RunResult& result, const std::string& name) {
  const std::string query = QueryOf(result, name);
  return query.empty() ? "over the window, of an observer" : absl::StrCat("over the window: ", query);
}

std::string ObservedCell(const std::string& name, const v1::ObservedFigure* figure,
                         double (v1::ObservedFigure::*value)() const) {
  return figure == nullptr ? "–" : FormatObserved(name, (figure->*value)());
}

// What of the server side stands in the table of load points, too: the queries, which were chosen, and observers' CPUs.
std::vector<std::string> HeadlineFigures(const v1::RunResult& result) {
  std::vector<std::string> names;
  for (const ObservedGroup& group : ObservedGroups(result)) {
    for (size_t i = 0; i < group.names.size(); ++i) {
      if (group.observer.empty() || group.short_names[i] == "cpu_busy_ratio") names.push_back(group.names[i]);
    }
  }
  return names;
}

std::string PointsSection(const v1::RunResult& result) {
  std::vector<HtmlTable::Column> columns = {
      {"Point", Align::kRight},
      {"Requested", Align::kRight, "operations a second"},
      {"Achieved", Align::kRight, "successful operations a second, done in the window"},
      {"Mean", Align::kRight, HeadlineTime(result)},
      {"p50", Align::kRight},
      {"p95", Align::kRight},
      {"p99", Align::kRight},
      {"p99.9", Align::kRight},
      {"Max", Align::kRight},
      {"Service", Align::kRight, "mean of sent to done"},
      {"Errors", Align::kRight},
      {"MiB/s", Align::kRight, "read and written"},
      {"Verdict", Align::kLeft}};
  const std::vector<std::string> observed = HeadlineFigures(result);
  for (const std::string& name : observed) {
    columns.push_back({name, Align::kRight, absl::StrCat("mean ", ObservedHint(result, name))});
  }
  HtmlTable table(std::move(columns));
  for (const v1::LoadPoint& point : result.points()) {
    const bool is_peak = point.index() == result.summary().peak_point();
    const absl::string_view verdict =
        !point.valid() ? "not valid" : (!point.within_limit() ? "over the limit" : (is_peak ? "peak" : "valid"));
    std::vector<std::string> cells = {absl::StrCat(point.index()),
                                      FormatFigure(point.requested_ops_per_sec()),
                                      FormatFigure(point.achieved_ops_per_sec()),
                                      FormatMs(point.mean_response_ms()),
                                      FormatMs(Optional(point.has_p50_ms(), point, &v1::LoadPoint::p50_ms)),
                                      FormatMs(Optional(point.has_p95_ms(), point, &v1::LoadPoint::p95_ms)),
                                      FormatMs(Optional(point.has_p99_ms(), point, &v1::LoadPoint::p99_ms)),
                                      FormatMs(Optional(point.has_p999_ms(), point, &v1::LoadPoint::p999_ms)),
                                      FormatMs(point.max_ms()),
                                      FormatMs(point.mean_service_ms()),
                                      FormatCount(point.error_count()),
                                      FormatMiB(point.read_bytes_per_sec() + point.write_bytes_per_sec()),
                                      std::string(verdict)};
    for (const std::string& name : observed) {
      cells.push_back(ObservedCell(name, FindObserved(point, name), &v1::ObservedFigure::mean));
    }
    table.AddRow(cells, !point.valid() ? "invalid" : (is_peak ? "peak" : ""));
  }
  return absl::StrCat("<section id=\"points\"><h2>Load points</h2>\n",
                      table.ToHtml(absl::StrCat("In the order run. Rates in ops/s, times in ms: ", HeadlineTime(result),
                                                ", percentiles within 0.4 %. A percentile with fewer than ten samples "
                                                "beyond it is not shown (–).")),
                      "</section>\n");
}

std::string ObservedTable(const v1::RunResult& result, const ObservedGroup& group) {
  std::vector<HtmlTable::Column> columns = {
      {"Point", Align::kRight}, {"Achieved", Align::kRight, "operations a second"}, {"Mean ms", Align::kRight}};
  for (size_t i = 0; i < group.names.size(); ++i) {
    const std::string hint = ObservedHint(result, group.names[i]);
    columns.push_back({group.short_names[i], Align::kRight, absl::StrCat("mean ", hint)});
    columns.push_back({"max", Align::kRight, absl::StrCat("greatest ", hint)});
  }
  HtmlTable table(std::move(columns));
  for (const v1::LoadPoint& point : result.points()) {
    std::vector<std::string> cells = {absl::StrCat(point.index()), FormatFigure(point.achieved_ops_per_sec()),
                                      FormatMs(point.mean_response_ms())};
    for (const std::string& name : group.names) {
      const v1::ObservedFigure* const figure = FindObserved(point, name);
      cells.push_back(ObservedCell(name, figure, &v1::ObservedFigure::mean));
      cells.push_back(ObservedCell(name, figure, &v1::ObservedFigure::max));
    }
    table.AddRow(cells, point.valid() ? "" : "invalid");
  }
  return table.ToHtml(group.observer.empty() ? "By the queries of the spec."
                                             : absl::StrCat("Observer ", group.observer, "."));
}

// The system under test beside the load: a chart of one figure, and tables of all.
std::string ObservedSection(const v1::RunResult& result) {
  std::string tables;
  for (const ObservedGroup& group : ObservedGroups(result)) absl::StrAppend(&tables, ObservedTable(result, group));
  if (tables.empty()) return "";
  return absl::StrCat(
      "<section id=\"observed\"><h2>Server side</h2>\n<div id=\"observed-figure\" hidden><p><label>Figure <select "
      "id=\"observed-name\"></select></label></p><div class=\"chart\" id=\"observed-chart\" role=\"img\" "
      "aria-label=\"Achieved operations a second against the figure; its values are in the tables\"></div></div>\n",
      tables, "</section>\n");
}

std::string OperationsTable(const v1::LoadPoint& point) {
  HtmlTable table({{"Operation", Align::kLeft},
                   {"Target", Align::kRight, "share that the workload asks for"},
                   {"Actual", Align::kRight, "share of the successful operations"},
                   {"ops/s", Align::kRight},
                   {"Mean", Align::kRight},
                   {"p50", Align::kRight},
                   {"p95", Align::kRight},
                   {"p99", Align::kRight},
                   {"Max", Align::kRight},
                   {"Service", Align::kRight, "mean of sent to done"},
                   {"Errors", Align::kRight},
                   {"Calls", Align::kRight, "protocol calls that the operations took"},
                   {"Extra", Align::kRight, "calls outside the mix: retries, re-lookups"}});
  for (const v1::LoadPointOperation& operation : point.operations()) {
    using Op = v1::LoadPointOperation;
    const double rate = point.measured_seconds() > 0 ? operation.count() / point.measured_seconds() : 0;
    table.AddRow({operation.name(), FormatShare(operation.target_share()), FormatShare(operation.share()),
                  FormatFigure(rate), FormatMs(operation.mean_ms()),
                  FormatMs(Optional(operation.has_p50_ms(), operation, &Op::p50_ms)),
                  FormatMs(Optional(operation.has_p95_ms(), operation, &Op::p95_ms)),
                  FormatMs(Optional(operation.has_p99_ms(), operation, &Op::p99_ms)), FormatMs(operation.max_ms()),
                  FormatMs(operation.mean_service_ms()), FormatCount(operation.error_count()),
                  FormatCount(operation.call_count()), FormatCount(operation.extra_call_count())});
  }
  return table.ToHtml("Operations of the measured window. Times in ms.");
}

std::string ErrorsTable(const v1::LoadPoint& point) {
  HtmlTable table({{"Operation", Align::kLeft}, {"Error", Align::kLeft}, {"Count", Align::kRight}});
  bool any = false;
  for (const v1::LoadPointOperation& operation : point.operations()) {
    for (const v1::LoadPointError& error : operation.errors()) {
      table.AddRow({operation.name(), error.name(), FormatCount(error.count())});
      any = true;
    }
  }
  return any ? table.ToHtml("Errors by name.") : "";
}

std::string AgentsTable(const v1::LoadPoint& point) {
  HtmlTable table({{"Agent", Align::kLeft},
                   {"ops/s", Align::kRight},
                   {"Mean ms", Align::kRight},
                   {"Errors", Align::kRight},
                   {"Lag p99 ms", Align::kRight, "schedule lag: sent after due, of operations that found a free slot"},
                   {"CPU", Align::kRight, "of all CPUs of the host"},
                   {"CPU µs/op", Align::kRight, "of the agent's process"},
                   {"Rx MiB/s", Align::kRight},
                   {"Tx MiB/s", Align::kRight},
                   {"Clock ± ms", Align::kRight, "bound on the error of the clock's offset"},
                   {"Reconnects", Align::kRight},
                   {"Present", Align::kLeft}});
  for (const v1::LoadPointAgent& agent : point.agents()) {
    table.AddRow(
        {agent.address(), FormatFigure(agent.achieved_ops_per_sec()), FormatMs(agent.mean_response_ms()),
         FormatCount(agent.error_count()), FormatMs(agent.schedule_lag_p99_ms()), FormatShare(agent.cpu_busy()),
         FormatFigure(agent.agent_cpu_us_per_operation()), FormatMiB(agent.rx_bytes_per_sec()),
         FormatMiB(agent.tx_bytes_per_sec()), FormatMs(agent.clock_bound_ms()), FormatCount(agent.reconnect_count()),
         agent.lost() ? "lost" : "throughout"},
        agent.lost() ? "invalid" : "");
  }
  return table.ToHtml("Agents over the measured window.");
}

std::string PointFacts(const v1::LoadPoint& point) {
  std::vector<std::string> facts = {
      absl::StrCat(FormatCount(point.operation_count()), " operations in ", FormatFigure(point.measured_seconds()),
                   " s"),
      absl::StrCat(FormatCount(point.call_count()), " calls and ", FormatCount(point.extra_call_count()), " extra"),
      absl::StrCat("wait in the client ", FormatMs(point.mean_wait_ms()), " ms"),
      absl::StrCat("dropped ", FormatCount(point.dropped_count())),
      absl::StrCat("unfinished ", FormatCount(point.unfinished_count())),
      absl::StrCat("reconnects ", FormatCount(point.reconnect_count()))};
  if (point.has_file_set()) {
    const v1::FileSetData& set = point.file_set();
    facts.push_back(absl::StrCat("file set ", FormatCount(set.files()), " files, ", FormatMiB(set.bytes_total()),
                                 " MiB; accessed ", FormatMiB(set.bytes_accessed()), " MiB; touched ",
                                 FormatMiB(set.distinct_bytes()), " MiB"));
  }
  return absl::StrCat("<p class=\"quiet\">", EscapeHtml(absl::StrJoin(facts, " · ")), "</p>\n");
}

std::string DetailSection(const v1::RunResult& result) {
  const v1::LoadPoint* peak = PeakPoint(result);
  if (peak == nullptr && result.points_size() > 0) peak = &result.points(result.points_size() - 1);
  std::string details;
  for (const v1::LoadPoint& point : result.points()) {
    absl::StrAppend(&details, "<details name=\"point\"", &point == peak ? " open" : "", "><summary>Load point ",
                    point.index(), " <span class=\"quiet\">", FormatFigure(point.achieved_ops_per_sec()), " ops/s, ",
                    FormatMs(point.mean_response_ms()), " ms",
                    point.index() == result.summary().peak_point() ? " · peak" : "",
                    point.valid() ? "" : " · not valid", "</span></summary>\n", PointFacts(point),
                    OperationsTable(point), ErrorsTable(point), AgentsTable(point), "</details>\n");
  }
  return absl::StrCat("<section id=\"operations\"><h2>Operations and agents, point by point</h2>\n", details,
                      "</section>\n");
}

}  // namespace

std::string HtmlReport(const v1::RunResult& result) {
  std::string system;
  if (result.spec().has_system()) {
    system = absl::StrCat("<section id=\"system\"><h2>System under test</h2>\n<pre>",
                          EscapeHtml(Json(result.spec().system(), true)), "</pre></section>\n");
  }
  return absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
      EscapeHtml(result.name()), " · ", kTitle, "</title>\n<style>\n", ReportCss(), "</style></head>\n<body><main>\n",
      Header(result),
      "<section id=\"curve\"><h2>Response-time curve</h2>\n<div class=\"chart\" id=\"curve-chart\" role=\"img\" "
      "aria-label=\"Achieved operations a second against response time; the figures are in the table of load points\">"
      "</div><p class=\"quiet\">Load points are joined in the order run. Hollow: not valid; hovering tells why.</p>"
      "<noscript><p class=\"quiet\">The curve is drawn with JavaScript; its figures are in the table.</p></noscript>"
      "</section>\n",
      FindingsSection(result), PointsSection(result), ObservedSection(result), DetailSection(result),
      "<section id=\"time\" hidden><h2>Time inside a load point</h2>\n<p><label>Load point <select "
      "id=\"time-point\"></select></label></p><div class=\"chart\" id=\"time-chart\" role=\"img\" aria-label=\""
      "Operations a second and response time, second by second\"></div></section>\n",
      system, HostsSection(result), "<section id=\"spec\"><h2>Spec and command</h2>\n<pre>",
      EscapeHtml(result.command()), "</pre>\n<p class=\"quiet\">crest ", EscapeHtml(result.version()), ", ",
      result.streams(), " streams, seed ", result.spec().seed(),
      "</p>\n<details><summary>The whole spec, as it ran</summary>\n<pre>", EscapeHtml(Json(result.spec(), true)),
      "</pre></details></section>\n<footer><p>Measured by crest. This is not a SPEC result: crest is not SPEC's "
      "benchmark, and its figures may not be compared with published SPEC figures as if they were.</p></footer>\n"
      "</main>\n<script type=\"application/json\" id=\"result\">",
      EscapeScriptJson(Json(result, false)), "</script>\n<script>\n", ChartLibrary(), "</script>\n<script>\n",
      ReportScript(), "</script>\n</body></html>\n");
}

}  // namespace crest
