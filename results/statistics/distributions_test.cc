#include "results/statistics/distributions.h"

#include <gtest/gtest.h>

namespace crest {
namespace {

// Fisher and Yates: Statistical Tables, tables I and III.
TEST(Distributions, MatchPublishedTables) {
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(NormalTail(2.326348), 0.01, 1e-7);
  EXPECT_NEAR(StudentQuantile(0.975, 7), 2.365, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.025, 29), -2.045, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.995, 1), 63.657, 5e-4);
  EXPECT_NEAR(StudentTail(2.365, 7), 0.025, 2e-5);
}

TEST(Distributions, ExtremeProbabilitiesStayFinite) {
  EXPECT_GT(StudentQuantile(1, 7), 1e2);
  EXPECT_LT(StudentQuantile(0, 7), -1e2);
  EXPECT_GT(NormalQuantile(1), 8);
  EXPECT_LT(NormalQuantile(0), -8);
}

}  // namespace
}  // namespace crest
