#include "results/ort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "results/ort_csv.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

// ---- published results -----------------------------------------------------------------------------------------

std::string ReadTestdata(const std::string& name) {
  std::ifstream file(std::string(CREST_TESTDATA) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string FirstField(const std::string& line) { return line.substr(0, line.find(',')); }

// The rows of each result as a CSV of its own, by the result's id.
std::map<std::string, std::string> PublishedCurves() {
  std::istringstream all(ReadTestdata("published_results.csv"));
  std::string header;
  std::getline(all, header);
  std::map<std::string, std::string> curves;
  for (std::string line; std::getline(all, line);) {
    std::string& curve = curves[FirstField(line)];
    if (curve.empty()) curve = header + "\n";
    curve += line + "\n";
  }
  return curves;
}

struct Published {
  double peak = 0;
  double ort_ms = 0;
};

std::map<std::string, Published> PublishedSummaries() {
  std::istringstream all(ReadTestdata("published_results_summary.csv"));
  std::map<std::string, Published> summaries;
  std::string line;
  std::getline(all, line);
  while (std::getline(all, line)) {
    const size_t ort = line.rfind(',');
    const size_t peak = line.rfind(',', ort - 1);
    summaries[FirstField(line)] = {std::stod(line.substr(peak + 1)), std::stod(line.substr(ort + 1))};
  }
  return summaries;
}

TEST(PublishedResultsTest, EachOrtIsReproduced) {
  const auto summaries = PublishedSummaries();
  int sfs = 0;
  int storage = 0;
  for (const auto& [id, csv] : PublishedCurves()) {
    const auto points = ParseCurveCsv(csv, id);
    ASSERT_TRUE(points.ok()) << points.status();
    ASSERT_TRUE(summaries.contains(id));
    const Published& published = summaries.at(id);
    const bool is_storage = id.starts_with("storage2020");
    const auto ort = OverallResponseTime(*points, is_storage ? OrtRule::kStorage2020 : OrtRule::kSfs2008);
    ASSERT_TRUE(ort.ok()) << ort.status();
    EXPECT_LE(std::fabs(std::round(*ort * 100) / 100 - published.ort_ms), 0.01 + 1e-9) << id;
    EXPECT_NEAR(*ort, published.ort_ms, 0.0055) << id;
    EXPECT_EQ(points->back().ops_per_sec, published.peak) << id;
    ++(is_storage ? storage : sfs);
  }
  EXPECT_EQ(sfs, 20);
  EXPECT_EQ(storage, 1);
}

TEST(PublishedResultsTest, TheOtherRuleWouldNotDo) {
  const auto summaries = PublishedSummaries();
  for (const auto& [id, csv] : PublishedCurves()) {
    const bool is_storage = id.starts_with("storage2020");
    const auto ort =
        OverallResponseTime(*ParseCurveCsv(csv, id), is_storage ? OrtRule::kSfs2008 : OrtRule::kStorage2020);
    EXPECT_GT(std::fabs(*ort - summaries.at(id).ort_ms), 0.0055) << id;
  }
}

// ---- the rules -------------------------------------------------------------------------------------------------

double Ort(const std::vector<CurvePoint>& points, OrtRule rule = OrtRule::kSfs2008) {
  const auto ort = OverallResponseTime(points, rule);
  EXPECT_TRUE(ort.ok()) << ort.status();
  return ort.value_or(-1);
}

std::string Refusal(const std::vector<CurvePoint>& points, OrtRule rule = OrtRule::kSfs2008) {
  return std::string(OverallResponseTime(points, rule).status().message());
}

TEST(OrtTest, Sfs2008StartsAtTheOrigin) {
  EXPECT_DOUBLE_EQ(Ort({{100, 2}}), 1);
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}}), (100 * 1 + 100 * 3) / 200.0);
}

TEST(OrtTest, Storage2020CountsMeasuredPointsAlone) {
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}}, OrtRule::kStorage2020), 3);
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}, {500, 4}}, OrtRule::kStorage2020), (300 + 1200) / 400.0);
}

TEST(OrtTest, PointsPastThePeakDoNotCount) {
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}, {190, 30}, {150, 80}}), Ort({{100, 2}, {200, 4}}));
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}, {190, 30}}, OrtRule::kStorage2020), 3);
}

TEST(OrtTest, OfEqualPeaksTheFirstCounts) {
  EXPECT_DOUBLE_EQ(Ort({{100, 2}, {200, 4}, {200, 90}}), Ort({{100, 2}, {200, 4}}));
}

TEST(OrtTest, RefusesWhatIsNoCurve) {
  EXPECT_THAT(Refusal({}), HasSubstr("at least one point"));
  EXPECT_THAT(Refusal({{0, 0}}), HasSubstr("at least one point"));
  EXPECT_THAT(Refusal({{100, 2}}, OrtRule::kStorage2020), HasSubstr("two points"));
  EXPECT_THAT(Refusal({{100, 2}, {100, 3}}, OrtRule::kStorage2020), HasSubstr("rising load"));
  EXPECT_THAT(Refusal({{300, 2}, {200, 2}, {100, 1}}), HasSubstr("rising load"));
  EXPECT_THAT(Refusal({{100, 2}, {50, 1}, {300, 2}}), HasSubstr("point 2 (50 ops/s)"));
  EXPECT_THAT(Refusal({{100, -1}}), HasSubstr("negative"));
  EXPECT_THAT(Refusal({{100, std::nan("")}}), HasSubstr("not a number"));
  EXPECT_THAT(Refusal({{HUGE_VAL, 1}}), HasSubstr("not a number"));
}

TEST(OrtTest, RulesHaveNames) {
  for (const OrtRule rule : {OrtRule::kSfs2008, OrtRule::kStorage2020})
    EXPECT_EQ(*ParseOrtRule(OrtRuleName(rule)), rule);
  EXPECT_THAT(std::string(ParseOrtRule("spec").status().message()), HasSubstr("sfs2008 or storage2020"));
}

}  // namespace
}  // namespace crest
