#include "results/statistics/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/statistics/test_series.h"

namespace crest {
namespace {

// A mean that falls from `start` to `end` with the time constant `tau`, in seconds, with 10 % noise.
std::vector<WeightedSum> Decay(double start, double end, double tau, size_t seconds, uint64_t seed) {
  Random random(MixKey(seed, 0xdeca));
  std::vector<WeightedSum> series(seconds);
  for (size_t i = 0; i < seconds; ++i) {
    const double mean = end + (start - end) * std::exp(-static_cast<double>(i) / tau);
    series[i] = {.sum = 100 * mean * (1 + 0.2 * (random.NextUnit() - 0.5)), .weight = 100};
  }
  return series;
}

std::vector<WeightedSum> Line(double first, double last, size_t seconds) {
  std::vector<WeightedSum> series(seconds);
  for (size_t i = 0; i < seconds; ++i) {
    series[i] = {.sum = first + (last - first) * static_cast<double>(i) / static_cast<double>(seconds - 1),
                 .weight = 1};
  }
  return series;
}

TEST(SettledFrom, CutsATransientOff) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto cut = SettledFrom(Decay(50, 5, 5, 120, seed));
    ASSERT_TRUE(cut.has_value()) << seed;
    EXPECT_GE(*cut, 10u) << seed;  // less than 12 % of the step is left
    EXPECT_LE(*cut, 60u) << seed;
  }
}

TEST(SettledFrom, WaitsWhileAFigureStillFalls) {
  for (uint64_t seed = 1; seed <= 20; ++seed) EXPECT_FALSE(SettledFrom(Decay(50, 5, 60, 60, seed)).has_value()) << seed;
}

TEST(SettledFrom, WaitsWhileABacklogGrows) { EXPECT_FALSE(SettledFrom(Line(1, 100, 40)).has_value()); }

TEST(SettledFrom, IsOverSoonWhereNothingChanges) {
  int settled = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed)
    settled += SettledFrom(MM1Series(0.5, seed).Take(10)).has_value() ? 1 : 0;
  EXPECT_GE(settled, 80);
}

TEST(SettledFrom, NeedsAFewIntervals) { EXPECT_FALSE(SettledFrom(Line(1, 1, 6)).has_value()); }

TEST(TrendOf, IsExactOnALine) {
  const auto trend = TrendOf(Line(10, 20, 50));
  ASSERT_TRUE(trend.has_value());
  EXPECT_NEAR(trend->change, 10, 1e-9);
  EXPECT_NEAR(trend->mean, 15, 1e-9);
  EXPECT_NEAR(trend->standard_error, 0, 1e-9);
}

// The standard error is right when the change of steady series exceeds twice of it about once in twenty times.
TEST(TrendOf, KnowsItsOwnError) {
  int beyond = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const auto trend = TrendOf(MM1Series(0.7, seed).Take(100));
    if (std::fabs(trend->change) > 2.05 * trend->standard_error) ++beyond;
  }
  EXPECT_GE(beyond, 10);
  EXPECT_LE(beyond, 45);
}

TEST(SteadinessOf, SeesDriftAndRange) {
  const auto drifting = SteadinessOf(Decay(6, 4, 1e9, 100, 1));
  ASSERT_TRUE(drifting.has_value());
  EXPECT_LT(drifting->drift, 0.05);
  const auto line = SteadinessOf(Line(9, 11, 100));
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(line->drift, 0.2, 1e-6);
  EXPECT_NEAR(line->range, 0.16, 0.01);  // between the means of the first and the last fifth
  EXPECT_LT(line->drift_by_chance, 0.01);
}

// A busy queue wanders; that is chance, and must not be taken for drift.
TEST(SteadinessOf, DoesNotTakeChanceForDrift) {
  int alarms = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const auto steady = SteadinessOf(MM1Series(0.9, seed).Take(120));
    if (steady->drift > steady->drift_by_chance) ++alarms;
    if (steady->range > steady->range_by_chance) ++alarms;
  }
  EXPECT_LE(alarms, 18);  // 2 × 1 % of 300, and 4 σ
}

}  // namespace
}  // namespace crest
