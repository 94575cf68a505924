#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace crest {
namespace {

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("JOURNAL_STREAM");
    SetLogLevel(LogLevel::kInfo);
  }
  void TearDown() override { SetLogLevel(LogLevel::kInfo); }
};

TEST_F(LogTest, ALinePerCallWithItsLevel) {
  testing::internal::CaptureStderr();
  LogError("no such export: ", "/a b");
  LogWarning("rate ", 5);
  LogInfo("listening");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: no such export: /a b\nwarning: rate 5\nlistening\n");
}

TEST_F(LogTest, LevelsAboveTheLimitAreDropped) {
  testing::internal::CaptureStderr();
  LogDebug("a");
  SetLogLevel(LogLevel::kError);
  LogWarning("b");
  LogError("c");
  SetLogLevel(LogLevel::kDebug);
  LogDebug("d");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: c\ndebug: d\n");
}

// The journal is told from the environment once a process: in a process of its own.
TEST(LogDeathTest, PrioritiesForTheJournal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("JOURNAL_STREAM", "8:1", 1);
        LogError("lost");
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "<3>lost");
}

}  // namespace
}  // namespace crest
