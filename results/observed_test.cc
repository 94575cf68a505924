#include "results/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
  for (uint32_t i = 1; i <= 2; ++i) {
    v1::PointData data;
    *data.add_observed() = Figure("cpu, all", 0.25, 0.5);
    if (i == 2) data.mutable_observed(0)->set_error("no data");
    v1::ObserverData& observer = *data.add_observers();
    observer.set_address("filer:7460");
    *observer.add_figures() = Figure("disk_read_bytes_per_sec", 1e6 * i, 2e6 * i);
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
  EXPECT_THAT(lines[1], testing::EndsWith(",0.25,0.5,1e+06,2e+06"));
  EXPECT_THAT(lines[2], testing::EndsWith(",,,2e+06,4e+06"));
}

TEST(ObservedTest, TextReportSetsThemBesideTheLoad) {
  const std::string text = TextReport(TwoPoints(), false);
  EXPECT_THAT(text, AllOf(HasSubstr("cpu, all"), HasSubstr("filer:7460 disk_read_bytes_per_sec")));
  EXPECT_THAT(text, AllOf(HasSubstr("0.250 (0.500)"), HasSubstr("1,000,000 (2,000,000)")));
  v1::RunResult none = TwoPoints();
  for (v1::LoadPoint& point : *none.mutable_points()) point.clear_observed();
  EXPECT_THAT(TextReport(none, false), Not(HasSubstr("System under test")));
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
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"observed-chart\""), HasSubstr(">cpu, all<"),
                          HasSubstr("mean over the window: avg(cpu{host=&quot;a&quot;})"), HasSubstr("0.250")));
}

}  // namespace
}  // namespace crest
