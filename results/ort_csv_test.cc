#include "results/ort_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"

namespace crest {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<CurvePoint> Parse(absl::string_view text) {
  const auto points = ParseCurveCsv(text, "c.csv");
  EXPECT_TRUE(points.ok()) << points.status();
  return points.value_or(std::vector<CurvePoint>());
}

std::string Refusal(absl::string_view text) { return std::string(ParseCurveCsv(text, "c.csv").status().message()); }

TEST(CurveCsvTest, ReadsItsColumnsInAnyOrder) {
  const auto points = Parse("note,response_ms,ops_per_sec\n\"a, \"\"b\"\"\",1.5,100\nc, 2 ,2e2\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].ops_per_sec, 100);
  EXPECT_EQ(points[0].response_ms, 1.5);
  EXPECT_EQ(points[1].ops_per_sec, 200);
  EXPECT_EQ(points[1].response_ms, 2);
}

TEST(CurveCsvTest, KeepsTheOrderOfTheFile) {
  const auto points = Parse("ops_per_sec,response_ms\n200,2\n100,1\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].ops_per_sec, 200);
}

TEST(CurveCsvTest, AcceptsWhatOtherProgramsWrite) {
  EXPECT_EQ(Parse("\xef\xbb\xbfops_per_sec,response_ms\r\n100,1\r\n\r\n200,2").size(), 2u);
  EXPECT_EQ(Parse("\n\nops_per_sec,response_ms\n100,1\n \n").size(), 1u);
  EXPECT_EQ(Parse("\"ops_per_sec\",\"response_ms\"\n\"100\",\"1\"\n").size(), 1u);
  EXPECT_EQ(Parse("ops_per_sec,response_ms\r100,1\r").size(), 1u);
}

TEST(CurveCsvTest, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(Refusal(""), HasSubstr("c.csv:1: is empty"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n"), HasSubstr("no point"));
  EXPECT_THAT(Refusal("100,1\n200,2\n"), StartsWith("c.csv:1: there is no column ops_per_sec"));
  EXPECT_THAT(Refusal("ops_per_sec,latency\n100,1\n"), HasSubstr("no column response_ms"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms,ops_per_sec\n"), HasSubstr("twice"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,1\n200\n"), StartsWith("c.csv:3: has 1 fields"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,1\n\n200,1,5\n"), StartsWith("c.csv:4: has 3 fields"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,fast\n"), StartsWith("c.csv:2: response_ms is \"fast\""));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n\"1,000\",1\n"), StartsWith("c.csv:2: ops_per_sec is \"1,000\""));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,\n"), HasSubstr("response_ms is \"\""));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n-100,1\n"), HasSubstr("not negative"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,nan\n"), StartsWith("c.csv:2"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,inf\n"), StartsWith("c.csv:2"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n\"100,1\n"), StartsWith("c.csv:2: a quote is not closed"));
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n\"100\"x,1\n"), HasSubstr("closing quote"));
}

TEST(CurveCsvTest, LinesAreCountedThroughQuotedLineEnds) {
  EXPECT_THAT(Refusal("note,ops_per_sec,response_ms\n\"a\nb\",100,1\nc,100,x\n"), StartsWith("c.csv:4:"));
}

TEST(CurveCsvTest, MessagesHoldNoControlCharacters) {
  EXPECT_THAT(Refusal("ops_per_sec,response_ms\n100,\x1b[31m\n"), Not(HasSubstr("\x1b")));
}

// Random text of the characters that matter to the reader: accepted points are numbers, and refusals say where.
TEST(CurveCsvFuzzTest, RandomText) {
  constexpr absl::string_view kAlphabet = "0123456789.e-+,,,\n\n\r\"\" \t#nax\xef\xbb\xbf\x1b";
  Random random(12);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = random.Below(4) == 0 ? "" : "ops_per_sec,response_ms\n";
    if (random.Below(2) == 0) text += "100,1\n";
    for (uint64_t n = random.Below(30); n > 0; --n) text += kAlphabet[random.Below(kAlphabet.size())];
    const auto points = ParseCurveCsv(text, "c.csv");
    if (!points.ok()) {
      ASSERT_EQ(points.status().code(), absl::StatusCode::kInvalidArgument);
      ASSERT_THAT(std::string(points.status().message()), StartsWith("c.csv:"));
      continue;
    }
    ++accepted;
    ASSERT_FALSE(points->empty());
    for (const CurvePoint& point : *points) {
      ASSERT_TRUE(std::isfinite(point.ops_per_sec) && std::isfinite(point.response_ms));
      ASSERT_GE(point.ops_per_sec, 0);
      ASSERT_GE(point.response_ms, 0);
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace crest
