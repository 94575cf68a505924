#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/engine/conformance.h"
#include "agent/engines/sim/queue_model.h"

namespace crest {
namespace {

using testing::HasSubstr;

EngineCase SimCase(std::string name, std::string url, bool virtual_time) {
  return {.name = std::move(name),
          .scheme = "sim",
          .targets = [url](std::string&) { return std::vector<std::string>{url}; },
          .has_state = false,
          .virtual_time = virtual_time};
}

INSTANTIATE_TEST_SUITE_P(Sim, EngineConformance,
                         testing::Values(SimCase("VirtualTime", "sim://?servers=2&service_time=2ms&queue=a", true),
                                         SimCase("RealTime", "sim://?servers=2&service_time=200us&queue=b", false),
                                         SimCase("Fixed", "sim://?service_time=1ms&law=fixed&queue=c", true)),
                         EngineCaseName);

absl::StatusOr<QueueModelSpec> Parse(absl::string_view url) { return ParseQueueModel(*ParseTarget(url)); }

TEST(QueueModelSpecTest, ReadsServersTimeAndLaw) {
  const auto spec = Parse("sim://?servers=8&service_time=2ms&law=fixed");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->servers, 8u);
  EXPECT_EQ(spec->service_time_ns, 2'000'000);
  EXPECT_EQ(spec->law, ServiceLaw::kFixed);
}

TEST(QueueModelSpecTest, RefusesWhatItDoesNotKnow) {
  for (const auto& [url, message] :
       std::vector<std::pair<std::string, std::string>>{{"sim://?servers=0", "servers=0"},
                                                        {"sim://?servers=many", "servers=many"},
                                                        {"sim://?service_time=0ms", "service_time=0ms"},
                                                        {"sim://?service_time=2parsecs", "2parsecs"},
                                                        {"sim://?law=murphy", "law=murphy"},
                                                        {"sim://?speed=9", "unknown parameter speed"},
                                                        {"sim://host/path", "no host or path"}}) {
    EXPECT_THAT(Parse(url).status().ToString(), HasSubstr(message)) << url;
  }
}

TEST(QueueModelTest, FixedServiceOfTwoServersFollowsFromTheArrivals) {
  QueueModel queue({.servers = 2, .service_time_ns = 10, .law = ServiceLaw::kFixed}, 1);
  EXPECT_EQ(queue.Arrive(MonoTime{100}).ns, 110);
  EXPECT_EQ(queue.Arrive(MonoTime{101}).ns, 111);
  EXPECT_EQ(queue.Arrive(MonoTime{102}).ns, 120);  // waits for the first
  EXPECT_EQ(queue.Arrive(MonoTime{103}).ns, 121);
  EXPECT_EQ(queue.Arrive(MonoTime{200}).ns, 210);
}

}  // namespace
}  // namespace crest
