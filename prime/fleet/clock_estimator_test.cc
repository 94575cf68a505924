#include "prime/fleet/clock_estimator.h"

#include <cstdlib>

#include "base/random.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

TEST(ClockEstimatorTest, SymmetricPathGivesTheOffset) {
  ClockEstimator estimator;
  estimator.Add(/*sent=*/1000, /*received=*/51'100, /*replied=*/51'150, /*heard=*/1250);
  ASSERT_TRUE(estimator.best().has_value());
  EXPECT_EQ(estimator.best()->offset_ns, 50'000);
  EXPECT_EQ(estimator.best()->bound_ns, 100);
}

TEST(ClockEstimatorTest, TrueOffsetIsWithinTheBoundWhateverThePathDoes) {
  Random random(1);
  for (int trial = 0; trial < 10'000; ++trial) {
    const int64_t offset = static_cast<int64_t>(random.Below(2'000'000)) - 1'000'000;
    ClockEstimator estimator;
    int64_t now = 0;
    for (int exchange = 0; exchange < 16; ++exchange) {
      const int64_t sent = now;
      const int64_t there = sent + static_cast<int64_t>(random.Below(10'000));
      const int64_t replied = there + static_cast<int64_t>(random.Below(1000));
      const int64_t heard = replied + static_cast<int64_t>(random.Below(300));
      estimator.Add(sent, there + offset, replied + offset, heard);
      now = heard;
    }
    ASSERT_TRUE(estimator.best().has_value());
    EXPECT_LE(std::llabs(estimator.best()->offset_ns - offset), estimator.best()->bound_ns);
  }
}

TEST(ClockEstimatorTest, LeastRoundTripCounts) {
  ClockEstimator estimator;
  estimator.Add(0, 900, 900, 1000);
  estimator.Add(2000, 2010, 2010, 2020);
  estimator.Add(3000, 3000, 3000, 3900);
  EXPECT_EQ(estimator.best()->bound_ns, 10);
  EXPECT_EQ(estimator.best()->offset_ns, 0);
}

TEST(ClockEstimatorTest, IgnoresWhatCannotBe) {
  ClockEstimator estimator;
  estimator.Add(100, 0, 0, 50);      // heard before it was sent
  estimator.Add(0, 100, 50, 200);    // replied before it was received
  estimator.Add(0, 100, 1000, 200);  // took longer there than here
  EXPECT_FALSE(estimator.best().has_value());
}

}  // namespace
}  // namespace crest
