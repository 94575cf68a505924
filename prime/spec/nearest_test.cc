#include "prime/spec/nearest.h"

#include "gtest/gtest.h"

namespace crest {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("peak", "peak"), 0u);
  EXPECT_EQ(EditDistance("pek", "peak"), 1u);
  EXPECT_EQ(EditDistance("peaak", "peak"), 1u);
  EXPECT_EQ(EditDistance("paek", "peak"), 1u);
  EXPECT_EQ(EditDistance("poak", "peak"), 1u);
  EXPECT_EQ(EditDistance("", "peak"), 4u);
  EXPECT_EQ(EditDistance("Max-Backlog", "max_backlog"), 0u);
}

TEST(SuggestFrom, NamesTheNearestOrAll) {
  const std::vector<std::string> known = {"plan", "points", "peak"};
  EXPECT_EQ(SuggestFrom("paek", known), "; did you mean 'peak'?");
  EXPECT_EQ(SuggestFrom("pointss", known), "; did you mean 'points'?");
  EXPECT_EQ(SuggestFrom("elephant", known), "; known here: plan, points, peak");
  EXPECT_EQ(SuggestFrom("", known), "; known here: plan, points, peak");
  EXPECT_EQ(SuggestFrom(std::string(1 << 20, 'p'), known), "; known here: plan, points, peak");
}

}  // namespace
}  // namespace crest
