#include "agent/engine/registry.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EngineType Named(absl::string_view scheme) {
  EngineType type;
  type.scheme = scheme;
  return type;
}

const EngineType kZebra = Named("zebra");
const EngineType kApple = Named("apple");
const bool registered = RegisterEngine(&kZebra) && RegisterEngine(&kApple);

TEST(RegistryTest, ListsEnginesByScheme) {
  ASSERT_TRUE(registered);
  EXPECT_THAT(EngineTypes(), ElementsAre(&kApple, &kZebra));
}

TEST(RegistryTest, FindsByScheme) {
  EXPECT_EQ(*FindEngine("apple"), &kApple);
  const absl::Status missing = FindEngine("pear").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("\"pear:\""));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("apple:, zebra:"));
}

TEST(RegistryDeathTest, OneEngineForAScheme) {
  static const EngineType second = Named("apple");
  EXPECT_DEATH(RegisterEngine(&second), "two engines claim the scheme apple");
}

class BareEngine : public Engine {
 public:
  SubmitResult Submit(const Operation&, uint64_t, Completion&) override { return SubmitResult::kBusy; }
  void Reap(MonoTime, CompletionSink&) override {}
  int in_flight() const override { return 0; }
};

TEST(EngineTest, CommonOutcomesHaveDistinctNames) {
  const BareEngine engine;
  std::set<std::string> names;
  for (Outcome outcome = kOk; outcome <= kShortTransfer; ++outcome) {
    names.insert(std::string(engine.ErrorName(outcome)));
  }
  EXPECT_EQ(names.size(), kShortTransfer + 1u);
  EXPECT_EQ(engine.ErrorName(kTimedOut), "TIMEOUT");
  EXPECT_EQ(engine.ErrorName(kConnectionLost), "CONNECTION_LOST");
  EXPECT_EQ(engine.ErrorName(9999), "UNKNOWN_ERROR");
  EXPECT_EQ(engine.Explain(kNoSpace), "NO_SPACE");
}

}  // namespace
}  // namespace crest
