#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/units.h"
#include "results/observed.h"
#include "results/report.h"

namespace crest {
namespace {

constexpr absl::string_view kBold = "1";
constexpr absl::string_view kRed = "31";
constexpr absl::string_view kYellow = "33";

class TextReportWriter {
 public:
  TextReportWriter(const v1::RunResult& result, bool colour) : result_(result), colour_(colour) {}

  std::string Write() {
    WriteHead();
    WritePoints();
    WriteObserved();
    if (const v1::LoadPoint* peak = PeakPoint(); peak != nullptr) WriteOperations(*peak);
    WriteFindings();
    WriteSummary();
    return std::move(text_);
  }

 private:
  // `text` in a colour, where colours are wanted. Pad before: escape sequences have no width.
  std::string Paint(absl::string_view code, absl::string_view text) const {
    if (!colour_ || text.empty()) return std::string(text);
    return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
  }

  void Line(absl::string_view line) { absl::StrAppend(&text_, line, "\n"); }

  static std::string Ms(std::optional<double> ms) { return ms.has_value() ? absl::StrFormat("%.3f", *ms) : "-"; }
  static std::string Ms(bool has, double ms) { return has ? Ms(ms) : "-"; }

  const v1::LoadPoint* PeakPoint() const {
    for (const v1::LoadPoint& point : result_.points()) {
      if (point.index() == result_.summary().peak_point()) return &point;
    }
    return nullptr;
  }

  void WriteHead() {
    const v1::Workload& workload = result_.spec().workload();
    Line(absl::StrCat("Run       ", Printable(result_.run_id())));
    for (const std::string& target : result_.spec().target()) Line(absl::StrCat("Target    ", Printable(target)));
    Line(absl::StrCat("Workload  ", Printable(workload.profile().empty() ? workload.name() : workload.profile())));
    Line(absl::StrCat("Status    ", v1::RunStatus_Name(result_.status()), ", ",
                      result_.summary().valid() ? "valid" : "not valid", result_.status_reason().empty() ? "" : ": ",
                      Printable(result_.status_reason())));
    Line("");
  }

  // Why a point does not count, or what it is.
  std::string Mark(const v1::LoadPoint& point) const {
    for (const v1::Finding& finding : point.findings()) {
      if (finding.severity() == v1::INVALID) return Paint(kRed, absl::StrCat("invalid: ", Printable(finding.code())));
    }
    if (!point.valid()) return Paint(kRed, "invalid");
    if (!point.within_limit()) return Paint(kYellow, "over limit");
    std::string mark = point.index() == result_.summary().peak_point() ? Paint(kBold, "peak") : "";
    for (const v1::Finding& finding : point.findings()) {
      if (finding.severity() != v1::WARNING) continue;
      absl::StrAppend(&mark, mark.empty() ? "" : ", ", Paint(kYellow, Printable(finding.code())));
    }
    return mark;
  }

  void WritePoints() {
    const bool sent = result_.summary().response_time() == "sent";
    Line(absl::StrCat("Load points. Response time is ", sent ? "the service time, sent to done" : "from due to done",
                      "; all times in ms."));
    Line(Paint(kBold, absl::StrFormat("%3s %11s %11s %10s %10s %10s %10s %9s  %s", "#", "req ops/s", "ach ops/s",
                                      "mean", "p95", "p99", "service", "errors", "mark")));
    for (const v1::LoadPoint& p : result_.points()) {
      const std::string row = absl::StrFormat(
          "%3d %11s %11s %10s %10s %10s %10s %9.0f", p.index(), FormatRate(p.requested_ops_per_sec()),
          FormatRate(p.achieved_ops_per_sec()), Ms(p.mean_response_ms()), Ms(p.has_p95_ms(), p.p95_ms()),
          Ms(p.has_p99_ms(), p.p99_ms()), Ms(p.mean_service_ms()), p.error_count());
      const std::string mark = Mark(p);
      Line(mark.empty() ? row : absl::StrCat(row, "  ", mark));
    }
    Line("Percentiles are exact to 0.4 %; - stands where fewer than ten samples lie beyond.");
    Line("");
  }

  // The system under test beside the load.
  void WriteObserved() {
    const std::vector<ObservedGroup> groups = ObservedGroups(result_);
    if (groups.empty()) return;
    Line("Server side over each measured window: mean (max). - stands where there is no figure.");
    for (const ObservedGroup& group : groups) WriteObservedGroup(group);
    Line("");
  }

  // As many columns side by side as fit on a wide terminal; the rest below.
  void WriteObservedGroup(const ObservedGroup& group) {
    constexpr size_t kWidth = 120;
    if (!group.observer.empty()) Line(absl::StrCat("Observer ", Printable(group.observer), ":"));
    for (size_t begin = 0; begin < group.names.size();) {
      std::vector<std::string> lines = {absl::StrFormat("%3s %11s %10s", "#", "ach ops/s", "mean ms")};
      for (const v1::LoadPoint& p : result_.points()) {
        lines.push_back(absl::StrFormat("%3d %11s %10s", p.index(), FormatRate(p.achieved_ops_per_sec()),
                                        Ms(p.mean_response_ms())));
      }
      const size_t first = begin;
      while (begin < group.names.size()) {
        const std::vector<std::string> column = ObservedColumn(group.names[begin], group.short_names[begin]);
        if (begin > first && CharacterCount(lines[0]) + 2 + CharacterCount(column[0]) > kWidth) break;
        for (size_t i = 0; i < lines.size(); ++i) absl::StrAppend(&lines[i], "  ", column[i]);
        ++begin;
      }
      Line(Paint(kBold, lines[0]));
      for (size_t i = 1; i < lines.size(); ++i) Line(lines[i]);
    }
  }

  // The title and a cell for each point, all of one width.
  std::vector<std::string> ObservedColumn(const std::string& name, const std::string& title) const {
    std::vector<std::string> cells = {Printable(title)};
    for (const v1::LoadPoint& point : result_.points()) {
      const v1::ObservedFigure* const figure = FindObserved(point, name);
      cells.push_back(figure == nullptr ? "-"
                                        : absl::StrCat(FormatObserved(name, figure->mean()), " (",
                                                       FormatObserved(name, figure->max()), ")"));
    }
    size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, CharacterCount(cell));
    for (std::string& cell : cells) cell.insert(0, width - CharacterCount(cell), ' ');
    return cells;
  }

  void WriteOperations(const v1::LoadPoint& peak) {
    size_t width = 9;
    for (const v1::LoadPointOperation& operation : peak.operations()) {
      width = std::max(width, CharacterCount(Printable(operation.name())));
    }
    const int name_width = static_cast<int>(width);
    Line(absl::StrCat("Operations of load point ", peak.index(), ", the peak."));
    Line(Paint(kBold, absl::StrFormat("%-*s %9s %9s %12s %10s %10s %9s", name_width, "operation", "target %",
                                      "actual %", "count", "mean", "p99", "errors")));
    for (const v1::LoadPointOperation& o : peak.operations()) {
      Line(absl::StrFormat("%-*s %9.2f %9.2f %12.0f %10s %10s %9.0f", name_width, Printable(o.name()),
                           o.target_share() * 100, o.share() * 100, o.count(), Ms(o.mean_ms()),
                           Ms(o.has_p99_ms(), o.p99_ms()), o.error_count()));
    }
    Line("");
  }

  void WriteFinding(absl::string_view where, const v1::Finding& finding) {
    std::string severity = v1::Severity_Name(finding.severity());
    if (finding.severity() == v1::INVALID) severity = Paint(kRed, severity);
    if (finding.severity() == v1::WARNING) severity = Paint(kYellow, severity);
    Line(absl::StrCat(severity, " ", Printable(finding.code()), where, ": ", Printable(finding.message())));
    if (!finding.evidence().empty()) Line(absl::StrCat("    ", Printable(finding.evidence())));
  }

  void WriteFindings() {
    const size_t before = text_.size();
    for (const v1::Finding& finding : result_.findings()) WriteFinding("", finding);
    for (const v1::LoadPoint& point : result_.points()) {
      for (const v1::Finding& finding : point.findings()) {
        WriteFinding(absl::StrCat(" in load point ", point.index()), finding);
      }
    }
    if (text_.size() > before) Line("");
  }

  void WriteSummary() {
    const v1::Summary& summary = result_.summary();
    const std::string limit = absl::StrFormat("%g ms", summary.limit_ms());
    const std::string ort = absl::StrCat("Overall response time (ORT, rule ", Printable(summary.ort_rule()), "): ");
    if (summary.peak_point() == 0) {
      Line(absl::StrCat("Peak: none, no load point is valid and within ", limit));
      Line(absl::StrCat(ort, "none"));
      return;
    }
    Line(Paint(kBold, absl::StrCat("Peak: ", FormatRate(summary.peak_ops_per_sec()), " ops/s within ", limit)));
    Line(Paint(kBold, absl::StrCat(ort, absl::StrFormat("%.2f ms", summary.overall_response_time_ms()))));
  }

  const v1::RunResult& result_;
  const bool colour_;
  std::string text_;
};

}  // namespace

std::string TextReport(const v1::RunResult& result, bool colour) { return TextReportWriter(result, colour).Write(); }

}  // namespace crest
