#include "results/statistics/ratio_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "results/statistics/test_series.h"

namespace crest {
namespace {

constexpr int kPoints = 1000;

struct Coverage {
  double covered = 0;          // share of the intervals that hold the true mean
  double mean_half_width = 0;  // ÷ true mean
  double widest = 0;
};

Coverage CoverageOf(double true_mean, const std::function<std::vector<WeightedSum>(uint64_t seed)>& point) {
  Coverage coverage;
  for (uint64_t seed = 1; seed <= kPoints; ++seed) {
    const auto estimate = EstimateRatio(point(seed));
    const double half_width = estimate->HalfWidth(0.95);
    if (std::fabs(estimate->ratio - true_mean) <= half_width) coverage.covered += 1.0 / kPoints;
    coverage.mean_half_width += half_width / true_mean / kPoints;
    coverage.widest = std::max(coverage.widest, half_width / true_mean);
  }
  return coverage;
}

void ExpectCovers(const Coverage& coverage) {
  testing::Test::RecordProperty("covered", std::to_string(coverage.covered));
  EXPECT_GE(coverage.covered, 0.93);
  EXPECT_LE(coverage.covered, 0.97);
  EXPECT_LE(coverage.mean_half_width, 0.05);
}

TEST(EstimateRatio, CoversTheTrueMeanOfUncorrelatedSamples) {
  ExpectCovers(CoverageOf(5, [](uint64_t seed) { return UncorrelatedSeries(300, seed); }));
}

TEST(EstimateRatio, CoversTheTrueMeanOfAHalfLoadedQueue) {
  ExpectCovers(CoverageOf(2, [](uint64_t seed) { return MM1Series(0.5, seed).Take(300); }));
}

TEST(EstimateRatio, CoversTheTrueMeanOfABusyQueue) {
  ExpectCovers(CoverageOf(5, [](uint64_t seed) { return MM1Series(0.8, seed).Take(300); }));
}

TEST(EstimateRatio, HasNoErrorWithoutScatter) {
  const std::vector<WeightedSum> series(10, {.sum = 30, .weight = 10});
  const auto estimate = EstimateRatio(series);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_DOUBLE_EQ(estimate->ratio, 3);
  EXPECT_DOUBLE_EQ(estimate->standard_error, 0);
  EXPECT_DOUBLE_EQ(estimate->HalfWidth(0.95), 0);
  EXPECT_DOUBLE_EQ(estimate->TailAbove(4), 1);
  EXPECT_DOUBLE_EQ(estimate->TailAbove(2), 0);
}

TEST(EstimateRatio, WeighsIntervalsByTheirOperations) {
  const auto estimate = EstimateRatio(std::vector<WeightedSum>{{10, 10}, {10, 10}, {0, 0}, {100, 20}});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_DOUBLE_EQ(estimate->ratio, 3);
}

TEST(EstimateRatio, CannotTellFromFewIntervalsOrNone) {
  EXPECT_FALSE(EstimateRatio({}).has_value());
  EXPECT_FALSE(EstimateRatio(std::vector<WeightedSum>(3, {1, 1})).has_value());
  EXPECT_FALSE(EstimateRatio(std::vector<WeightedSum>(10)).has_value());
}

// Per second the correlation is strong: an interval that took seconds for independent would be far too narrow.
TEST(EstimateRatio, HeedsAutocorrelation) {
  const auto estimate = EstimateRatio(MM1Series(0.95, 1).Take(600));
  ASSERT_TRUE(estimate.has_value());
  // Asymptotic variance of the mean sojourn time of M/M/1 (Whitt: Planning queueing simulations, Management Science 35,
  // 1989): ρ(2 + 5ρ − 4ρ² + ρ³) ÷ (1 − ρ)⁴ for n customers, in units of the service time.
  const double rho = 0.95;
  const double variance = rho * (2 + 5 * rho - 4 * rho * rho + rho * rho * rho) / std::pow(1 - rho, 4) / (600 * 950);
  EXPECT_GT(estimate->standard_error, 0.5 * std::sqrt(variance));
  EXPECT_LT(estimate->standard_error, 2 * std::sqrt(variance));
}

}  // namespace
}  // namespace crest
