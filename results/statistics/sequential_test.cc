#include "results/statistics/sequential.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/statistics/test_series.h"

namespace crest {
namespace {

// Looks at 5 s, then after each half as much again, until the side is known or 300 s have passed.
Side Decide(MM1Series& queue, double bound, double alpha, size_t* seconds = nullptr) {
  constexpr size_t kLongest = 300;
  SequentialTest test(alpha);
  std::vector<WeightedSum> series;
  for (size_t length = 5;; length = std::min(length + length / 2, kLongest)) {
    for (const WeightedSum& second : queue.Take(length - series.size())) series.push_back(second);
    const Side side = test.Look(series, bound, static_cast<double>(length) / kLongest);
    if (seconds != nullptr) *seconds = length;
    if (side != Side::kUndecided || length == kLongest) return side;
  }
}

TEST(SpentError, RisesFromNothingToAlpha) {
  EXPECT_DOUBLE_EQ(SpentError(0.05, 0), 0);
  EXPECT_DOUBLE_EQ(SpentError(0.05, 1), 0.05);
  EXPECT_GT(SpentError(0.05, 0.5), 0.025);  // early verdicts are what it is for
}

// With the true mean right at the bound either verdict is an error.
TEST(SequentialTest, LooksDoNotAddUpToMoreThanAlpha) {
  constexpr int kRuns = 400;
  int wrong = 0;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    MM1Series queue(0.8, seed);
    wrong += Decide(queue, queue.mean_ms(), 0.05) != Side::kUndecided ? 1 : 0;
  }
  // Bonferroni's 5 %, and 3 σ of 400 draws.
  EXPECT_LE(wrong, 0.05 * kRuns + 3 * std::sqrt(0.05 * 0.95 * kRuns));
}

TEST(SequentialTest, DecidesSoonFarFromTheBound) {
  size_t seconds = 0;
  MM1Series idle(0.5, 1);
  EXPECT_EQ(Decide(idle, 20, 0.05, &seconds), Side::kBelow);
  EXPECT_LE(seconds, 10u);
  MM1Series busy(0.9, 1);
  EXPECT_EQ(Decide(busy, 1, 0.05, &seconds), Side::kAbove);
  EXPECT_LE(seconds, 30u);
}

TEST(SideOf, IsUndecidedWithoutData) {
  EXPECT_EQ(SideOf({}, 1, 0.05), Side::kUndecided);
  EXPECT_EQ(SideOf(std::vector<WeightedSum>(10, {30, 10}), 1, 0), Side::kUndecided);
}

}  // namespace
}  // namespace crest
