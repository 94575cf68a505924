#include "results/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/units.h"
#include "results/judge.h"
#include "results/report.h"
#include "results/run_store.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::ObservedFigure Figure(const std::string& name, double mean, double max) {
  v1::ObservedFigure figure;
  figure.set_name(name);
  figure.set_mean(mean);
  figure.set_max(max);
  return figure;
}

// Two points: the query failed in the second, and an observer saw both.
v1::RunResult TwoPoints() {
  v1::RunResult result;
  v1::ObserveQuery& query = *result.mutable_spec()->mutable_observe()->add_queries();
  query.set_name("cpu, all");
  query.set_query("avg(cpu{host=\"a\"})");
  v1::AgentSpec& agent = *result.mutable_spec()->add_agents();
  agent.set_address("filer:7460");
  agent.set_observer(true);
  for (uint32_t i = 1; i <= 2; ++i) {
    v1::PointData data;
    *data.add_observed() = Figure("cpu, all", 0.25, 0.5);
    if (i == 2) data.mutable_observed(0)->set_error("no data");
    v1::ObserverData& observer = *data.add_observers();
    observer.set_address("filer:7460");
    *observer.add_figures() = Figure("disk_read_bytes_per_sec", i << 20, i << 21);
    v1::LoadPoint& point = *result.add_points();
    point.set_index(i);
    point.set_achieved_ops_per_sec(1000 * i);
    FillObserved(data, &point);
  }
  return result;
}

TEST(ObservedTest, NamesAreThoseOfAllPointsOnce) {
  const v1::RunResult result = TwoPoints();
  EXPECT_THAT(ObservedNames(result), ElementsAre("cpu, all", "filer:7460 disk_read_bytes_per_sec"));
  EXPECT_EQ(QueryOf(result, "cpu, all"), "avg(cpu{host=\"a\"})");
  EXPECT_EQ(QueryOf(result, "filer:7460 disk_read_bytes_per_sec"), "");
}

TEST(ObservedTest, GroupsAreTheSources) {
  const std::vector<ObservedGroup> groups = ObservedGroups(TwoPoints());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].observer, "");
  EXPECT_THAT(groups[0].names, ElementsAre("cpu, all"));
  EXPECT_EQ(groups[1].observer, "filer:7460");
  EXPECT_THAT(groups[1].names, ElementsAre("filer:7460 disk_read_bytes_per_sec"));
  EXPECT_THAT(groups[1].short_names, ElementsAre("disk_read_bytes_per_sec"));
}

TEST(ObservedTest, NamesSayHowFiguresAreWritten) {
  EXPECT_EQ(FormatObserved("cpu_busy_ratio", 0.5), "50.00 %");
  EXPECT_EQ(FormatObserved("arc_size_bytes", 3 << 20), FormatBytes(3 << 20));
  EXPECT_EQ(FormatObserved("delta_bytes", -5), "-5.000");
  EXPECT_EQ(FormatObserved("queue", 12.5), "12.50");
}

TEST(ObservedTest, AFigureWithAnErrorIsNone) {
  const v1::RunResult result = TwoPoints();
  ASSERT_NE(FindObserved(result.points(0), "cpu, all"), nullptr);
  EXPECT_EQ(FindObserved(result.points(0), "cpu, all")->max(), 0.5);
  EXPECT_EQ(FindObserved(result.points(1), "cpu, all"), nullptr);
  EXPECT_EQ(FindObserved(result.points(1), "another"), nullptr);
}

TEST(ObservedTest, CurveCsvHasTwoColumnsAFigure) {
  const std::vector<std::string> lines = absl::StrSplit(CurveCsv(TwoPoints()), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0],
              testing::EndsWith(",findings,\"observed_cpu, all_mean\",\"observed_cpu, all_max\",observed_filer:7460 "
                                "disk_read_bytes_per_sec_mean,observed_filer:7460 disk_read_bytes_per_sec_max"));
  EXPECT_THAT(lines[1], testing::EndsWith(",0.25,0.5,1048576,2097152"));
  EXPECT_THAT(lines[2], testing::EndsWith(",,,2097152,4194304"));
}

TEST(ObservedTest, TextReportSetsThemBesideTheLoad) {
  const std::string text = TextReport(TwoPoints(), false);
  EXPECT_THAT(text,
              AllOf(HasSubstr("cpu, all"), HasSubstr("Observer filer:7460:"), HasSubstr("  disk_read_bytes_per_sec")));
  EXPECT_THAT(text, AllOf(HasSubstr("0.250 (0.500)"),
                          HasSubstr(absl::StrCat(FormatBytes(1 << 20), " (", FormatBytes(1 << 21), ")"))));
  v1::RunResult none = TwoPoints();
  for (v1::LoadPoint& point : *none.mutable_points()) point.clear_observed();
  EXPECT_THAT(TextReport(none, false), Not(HasSubstr("Server side")));
}

TEST(ObservedTest, TextReportBreaksManyFiguresIntoLinesThatFit) {
  v1::RunResult result = TwoPoints();
  for (v1::LoadPoint& point : *result.mutable_points()) {
    for (int i = 0; i < 12; ++i) *point.add_observed() = Figure(absl::StrCat("figure_of_some_length_", i), i, i);
  }
  const std::string text = TextReport(result, false);
  for (int i = 0; i < 12; ++i) EXPECT_THAT(text, HasSubstr(absl::StrCat("figure_of_some_length_", i)));
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_GT(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.find("mean ms") != std::string::npos; }),
            1);
  for (const std::string& line : lines) {
    if (line.find("figure_of") != std::string::npos) {
      EXPECT_LE(line.size(), 120u) << line;
    }
  }
}

TEST(ObservedTest, HtmlReportShowsTableAndChart) {
  const std::string html = HtmlReport(TwoPoints());
  EXPECT_THAT(html, AllOf(HasSubstr("Observer filer:7460."), HasSubstr(">disk_read_bytes_per_sec<")));
  EXPECT_THAT(HtmlReport(v1::RunResult()), Not(HasSubstr("id=\"observed\"")));
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"observed-chart\""), HasSubstr(">cpu, all<"),
                          HasSubstr("mean over the window: avg(cpu{host=&quot;a&quot;})"), HasSubstr("0.250")));
}

// ---- findings --------------------------------------------------------------------------------------------------

// The finding of that code of the point judged; nullopt: none.
std::optional<v1::Finding> FindingOf(const v1::PointData& data, const std::string& code) {
  const v1::LoadPoint point = JudgePoint({}, data);
  for (const v1::Finding& finding : point.findings()) {
    if (finding.code() == code) return finding;
  }
  return std::nullopt;
}

// A load point with a query and an observer, both well.
v1::PointData Seen() {
  v1::PointData data;
  data.set_requested_ops_per_sec(100);
  data.set_measured_ns(10'000'000'000);
  *data.add_observed() = Figure("queue", 12, 40);
  v1::ObserverData& observer = *data.add_observers();
  observer.set_address("filer:7460");
  *observer.add_figures() = Figure("cpu_busy_ratio", 0.89, 1);
  return data;
}

TEST(ObservedFindingsTest, WhatIsWellIsNoFinding) {
  for (const char* const code : {"observe_failed", "observer_lost", "server_cpu_busy"}) {
    EXPECT_FALSE(FindingOf(Seen(), code).has_value()) << code;
  }
}

TEST(ObservedFindingsTest, AQueryThatFailedIsAWarningWithItsError) {
  v1::PointData data = Seen();
  *data.add_observed() = Figure("cpu", 0, 0);
  data.mutable_observed(1)->set_error("no data in the window");
  const std::optional<v1::Finding> finding = FindingOf(data, "observe_failed");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->severity(), v1::WARNING);
  EXPECT_EQ(finding->evidence(), "1 of 2 queries: cpu: no data in the window");
}

TEST(ObservedFindingsTest, ALostObserverIsAWarning) {
  v1::PointData data = Seen();
  data.mutable_observers(0)->set_lost(true);
  const std::optional<v1::Finding> finding = FindingOf(data, "observer_lost");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->severity(), v1::WARNING);
  EXPECT_EQ(finding->evidence(), "1 of 1 observers lost: filer:7460");
  EXPECT_FALSE(FindingOf(data, "agent_lost").has_value());
}

TEST(ObservedFindingsTest, ABusyServerIsNoted) {
  v1::PointData data = Seen();
  data.mutable_observers(0)->mutable_figures(0)->set_mean(0.953);
  const std::optional<v1::Finding> finding = FindingOf(data, "server_cpu_busy");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->severity(), v1::NOTE);
  EXPECT_THAT(finding->evidence(), HasSubstr("filer:7460 95.3 %"));
}

TEST(ObservedFindingsTest, ATargetThatDoesNotKeepUpIsToldWithItsServerSide) {
  const std::optional<v1::Finding> finding = FindingOf(Seen(), "achieved_below_requested");
  ASSERT_TRUE(finding.has_value());
  EXPECT_THAT(finding->evidence(), HasSubstr("; server side: queue 12.00, filer:7460 cpu_busy_ratio 89.00 %"));
}

}  // namespace
}  // namespace crest
