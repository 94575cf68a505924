#include <gtest/gtest.h>

#include "agent/engine/conformance.h"

namespace crest {
namespace {

EngineCase NullCase(bool virtual_time) {
  return {.name = virtual_time ? "VirtualTime" : "RealTime",
          .scheme = "null",
          .targets = [](std::string&) { return std::vector<std::string>{"null:"}; },
          .has_state = false,
          .virtual_time = virtual_time};
}

INSTANTIATE_TEST_SUITE_P(Null, EngineConformance, testing::Values(NullCase(false), NullCase(true)), EngineCaseName);

TEST(NullTargetTest, HasNothingBehindIt) {
  const EngineType& type = **FindEngine("null");
  EXPECT_TRUE(type.check_target(*ParseTarget("null:")).ok());
  EXPECT_FALSE(type.check_target(*ParseTarget("null://host/path")).ok());
}

}  // namespace
}  // namespace crest
