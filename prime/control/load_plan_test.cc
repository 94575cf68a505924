#include "prime/control/load_plan.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> RunToEnd(const LoadPlan& plan) {
  std::vector<v1::LoadPoint> history;
  std::vector<double> rates;
  while (const auto step = plan.Next(history)) {
    rates.push_back(step->requested_ops_per_sec);
    v1::LoadPoint& point = history.emplace_back();
    point.set_requested_ops_per_sec(step->requested_ops_per_sec);
    point.set_valid(history.size() % 2 == 0);
    point.set_within_limit(history.size() < 3);
  }
  return rates;
}

v1::LoadSpec Curve(double peak, uint32_t points) {
  v1::LoadSpec load;
  load.set_plan(v1::LOAD_PLAN_CURVE);
  load.set_peak(peak);
  load.set_points(points);
  return load;
}

TEST(CurvePlan, IsEvenlySpacedAndEndsExactlyAtThePeak) {
  const auto plan = MakeLoadPlan(Curve(5000, 10));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(RunToEnd(**plan), ElementsAre(500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000));
  EXPECT_EQ((*plan)->PlannedRates(), RunToEnd(**plan));
}

TEST(CurvePlan, ReachesAPeakThatDoesNotDivide) {
  const auto plan = MakeLoadPlan(Curve(1000.1, 7));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)->PlannedRates().back(), 1000.1);
  EXPECT_EQ((*plan)->PlannedRates().size(), 7u);
}

TEST(CurvePlan, AnswersTheSameHistoryTheSame) {
  const auto plan = MakeLoadPlan(Curve(90, 3));
  ASSERT_TRUE(plan.ok());
  const std::vector<v1::LoadPoint> two(2);
  EXPECT_EQ((*plan)->Next(two)->requested_ops_per_sec, 90);
  EXPECT_EQ((*plan)->Next({})->requested_ops_per_sec, 30);
  EXPECT_EQ((*plan)->Next(two)->requested_ops_per_sec, 90);
}

TEST(StepsPlan, KeepsTheOrderWritten) {
  v1::LoadSpec load;
  load.set_plan(v1::LOAD_PLAN_STEPS);
  load.add_rates(700);
  load.add_rates(100);
  load.add_rates(700);
  const auto plan = MakeLoadPlan(load);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(RunToEnd(**plan), ElementsAre(700, 100, 700));
}

TEST(MakeLoadPlan, RefusesWhatCannotBeRun) {
  EXPECT_THAT(std::string(MakeLoadPlan({}).status().message()), HasSubstr("curve or steps"));
  EXPECT_THAT(std::string(MakeLoadPlan(Curve(0, 10)).status().message()), HasSubstr("peak: 5000"));
  EXPECT_FALSE(MakeLoadPlan(Curve(-1, 10)).ok());
  EXPECT_FALSE(MakeLoadPlan(Curve(std::numeric_limits<double>::quiet_NaN(), 10)).ok());
  EXPECT_FALSE(MakeLoadPlan(Curve(100, 0)).ok());
  v1::LoadSpec steps;
  steps.set_plan(v1::LOAD_PLAN_STEPS);
  EXPECT_THAT(std::string(MakeLoadPlan(steps).status().message()), HasSubstr("rates is empty"));
  steps.add_rates(0);
  EXPECT_FALSE(MakeLoadPlan(steps).ok());
}

}  // namespace
}  // namespace crest
