#include "results/statistics/isotonic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crest {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(IsotonicFit, LeavesRisingValuesAlone) {
  EXPECT_THAT(IsotonicFit({{1, 2, 1}, {2, 3, 1}, {3, 5, 1}}), ElementsAre(2, 3, 5));
}

TEST(IsotonicFit, PoolsViolatorsByWeight) {
  // 8 with weight 3 and 4 with weight 1 pool to 7, which 6 (weight 1) then drags to (24 + 4 + 6) ÷ 5.
  EXPECT_THAT(IsotonicFit({{1, 1, 1}, {2, 8, 3}, {3, 4, 1}, {4, 6, 1}, {5, 9, 1}}),
              ElementsAre(1, DoubleNear(6.8, 1e-12), DoubleNear(6.8, 1e-12), DoubleNear(6.8, 1e-12), 9));
}

TEST(CrossingOf, LiesOnTheLineBetweenTwoPoints) {
  EXPECT_NEAR(*CrossingOf({{100, 10, 1}, {200, 30, 1}}, 20), 150, 1e-9);
}

TEST(CrossingOf, IsAbsentWhereAllLieOnOneSide) {
  EXPECT_FALSE(CrossingOf({{100, 10, 1}, {200, 15, 1}}, 20).has_value());
  EXPECT_FALSE(CrossingOf({{100, 25, 1}, {200, 30, 1}}, 20).has_value());
  EXPECT_FALSE(CrossingOf({}, 20).has_value());
}

}  // namespace
}  // namespace crest
