#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/engine/conformance.h"

namespace crest {
namespace {

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
                                         SimCase("Fixed", "sim://?service_time=1ms&law=fixed&queue=c", true),
                                         SimCase("Stalling", "sim://?service_time=1ms&stall=5ms&stall_every=20ms",
                                                 true)),
                         EngineCaseName);

}  // namespace
}  // namespace crest
