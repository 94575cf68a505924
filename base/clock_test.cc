#include "base/clock.h"

#include <gtest/gtest.h>

namespace crest {
namespace {

TEST(MonoTimeTest, Arithmetic) {
  const MonoTime t{1000};
  EXPECT_EQ((t + 5).ns, 1005);
  EXPECT_EQ((t + absl::Microseconds(2)).ns, 3000);
  EXPECT_EQ((t + 5) - t, 5);
  EXPECT_LT(t, t + 1);
  EXPECT_GT(MonoTime::Max(), t);
}

TEST(RealClockTest, SleepsUntilItsTimeAndNeverRunsBackwards) {
  RealClock clock;
  const MonoTime start = clock.Now();
  clock.SleepUntil(start + absl::Milliseconds(5));
  const MonoTime awake = clock.Now();
  EXPECT_GE(awake - start, 5'000'000);
  clock.SleepUntil(start);  // has passed: returns at once
  EXPECT_GE(clock.Now(), awake);
}

TEST(SimulatedClockTest, MovesWhenToldAndOnlyForward) {
  SimulatedClock clock;
  const MonoTime start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.AdvanceTo(start + 100);
  EXPECT_EQ(clock.Now() - start, 100);
  clock.AdvanceTo(start);
  EXPECT_EQ(clock.Now() - start, 100);
  clock.SleepUntil(start + 200);
  EXPECT_EQ(clock.Now() - start, 200);
}

}  // namespace
}  // namespace crest
