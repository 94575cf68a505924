// Runs in virtual time against the textbook: whatever crest gets wrong in pacing, timing, recording or merging shows
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "results/histogram.h"
#include "tests/simulation/simulated_fleet.h"

namespace crest {
namespace {

struct Load {
  double utilisation;
  double operations;
  uint32_t seed;
};

class MM1Test : public testing::TestWithParam<Load> {};

// The seeds are fixed, so a run passes always or never; at 90 % load the 99th percentile of so many operations scatters
// by about 0.7 %. M/M/1: the time in the system is exponential with mean 1 / (μ − λ) (Kleinrock, "Queueing Systems"
// I, 3.2 and 5.7).
TEST_P(MM1Test, ResponseTimeOfAHundredAgentsIsTheTextbooks) {
  constexpr double kServiceUs = 10;
  const double rate = GetParam().utilisation * 1e6 / kServiceUs;
  SimulatedFleetOptions options;
  options.target = "sim://?servers=1&service_time=10us&law=exponential";
  options.workload = OpenWorkload(v1::ARRIVALS_POISSON);
  options.agents = 100;
  options.streams = 1000;
  options.seed = GetParam().seed;
  SimulatedFleet fleet(options);
  const v1::PointData point = fleet.RunPoint(1, rate, absl::Seconds(2),
                                             absl::Ceil(absl::Seconds(GetParam().operations / rate), absl::Seconds(1)));

  Histogram response;
  ASSERT_TRUE(response.Merge(point.response()).ok());
  EXPECT_GE(static_cast<double>(response.count()), 0.99 * GetParam().operations);
  const double mean_ns = kServiceUs * 1e3 / (1 - GetParam().utilisation);
  EXPECT_NEAR(response.mean_ns() / mean_ns, 1, 0.01);
  EXPECT_NEAR(*response.QuantileNs(0.99) / (mean_ns * std::log(100)), 1, 0.01);
  // A virtual clock is never late, and an open workload never waits for itself.
  Histogram lag;
  ASSERT_TRUE(lag.Merge(point.schedule_lag()).ok());
  EXPECT_EQ(lag.max_ns(), 0);
  EXPECT_EQ(lag.count(), response.count());
}

std::string NameOf(const testing::TestParamInfo<Load>& info) {
  return absl::StrCat("at", std::lround(info.param.utilisation * 100), "seed", info.param.seed);
}

INSTANTIATE_TEST_SUITE_P(Loads, MM1Test,
                         testing::Values(Load{0.5, 4e6, 1}, Load{0.5, 4e6, 2}, Load{0.5, 4e6, 3}, Load{0.8, 1.6e7, 1},
                                         Load{0.8, 1.6e7, 2}, Load{0.8, 1.6e7, 3}, Load{0.9, 2.4e7, 2},
                                         Load{0.9, 2.4e7, 3}, Load{0.9, 2.4e7, 5}),
                         NameOf);

// M/D/1: mean wait ρ / (2 (1 − ρ)) services (Pollaczek, Khinchine); no operation is faster than its service.
TEST(MD1Test, MeanAndLeastAreTheTextbooks) {
  SimulatedFleetOptions options;
  options.target = "sim://?servers=1&service_time=10us&law=fixed";
  options.workload = OpenWorkload(v1::ARRIVALS_POISSON);
  options.agents = 4;
  SimulatedFleet fleet(options);
  const v1::PointData point = fleet.RunPoint(1, 80'000, absl::Seconds(1), absl::Seconds(40));
  Histogram service;
  ASSERT_TRUE(service.Merge(point.service()).ok());
  EXPECT_NEAR(service.mean_ns(), 10'000 * (1 + 0.8 / (2 * 0.2)), 0.01 * 30'000);
  EXPECT_EQ(service.min_ns(), 10'000);
}

// M/M/c: Erlang's C gives the mean wait.
TEST(MMcTest, MeanIsErlangs) {
  constexpr int kServers = 8;
  constexpr double kUtilisation = 0.8;
  SimulatedFleetOptions options;
  options.target = "sim://?servers=8&service_time=80us&law=exponential";
  options.workload = OpenWorkload(v1::ARRIVALS_POISSON);
  options.agents = 3;
  SimulatedFleet fleet(options);
  const v1::PointData point = fleet.RunPoint(1, 80'000, absl::Seconds(1), absl::Seconds(60));
  const double offered = kServers * kUtilisation;
  double term = 1;
  double sum = 0;
  for (int k = 0; k < kServers; ++k) {
    sum += term;
    term *= offered / (k + 1);
  }
  const double wait_share = term / (1 - kUtilisation) / (sum + term / (1 - kUtilisation));
  const double mean_ns = 80'000 * (1 + wait_share / (kServers * (1 - kUtilisation)));
  Histogram response;
  ASSERT_TRUE(response.Merge(point.response()).ok());
  EXPECT_NEAR(response.mean_ns() / mean_ns, 1, 0.01);
}

// One operation in flight per stream: a stream whose arrival finds it busy keeps the due time, so response time holds
// the wait that service time does not.
TEST(ClosedStreamTest, AnOverloadedServerShowsInTheTimeFromDueAndAsUnfinished) {
  SimulatedFleetOptions options;
  options.target = "sim://?servers=1&service_time=1ms&law=fixed";
  options.workload = OpenWorkload(v1::ARRIVALS_UNIFORM);
  options.workload.set_outstanding(1);
  options.streams = 10;
  SimulatedFleet fleet(options);
  const v1::PointData point = fleet.RunPoint(1, 2000, absl::Seconds(1), absl::Seconds(10));
  Histogram response;
  Histogram service;
  ASSERT_TRUE(response.Merge(point.response()).ok());
  ASSERT_TRUE(service.Merge(point.service()).ok());
  EXPECT_EQ(service.count(), 10'000u);                // the server's 1,000 a second, not the 2,000 asked for
  EXPECT_NEAR(service.mean_ns(), 10e6, 0.01 * 10e6);  // ten streams ÷ 1,000 a second: Little's law
  // The backlog grows by half of what arrives: after t seconds the wait is t/2, from 0.5 s to 5.5 s in the window.
  EXPECT_NEAR(response.mean_ns(), 3e9, 0.02 * 3e9);
  // 22,000 arrivals in 11 s, 11,000 served.
  EXPECT_NEAR(static_cast<double>(point.unfinished_count()), 11'000, 20);
}

std::vector<uint64_t> OperationsOf(uint32_t agents, uint32_t seed) {
  std::vector<uint64_t> operations;
  SimulatedFleetOptions options;
  options.target = "null:";
  options.workload = OpenWorkload(v1::ARRIVALS_POISSON);
  options.agents = agents;
  options.streams = 64;
  options.seed = seed;
  options.on_submit = [&](const Operation& operation, MonoTime now) {
    operations.push_back(MixKey(operation.kind, operation.object.value, operation.offset, operation.length, now.ns));
  };
  SimulatedFleet fleet(options);
  fleet.RunPoint(1, 5000, absl::Seconds(1), absl::Seconds(5));
  std::sort(operations.begin(), operations.end());
  return operations;
}

TEST(DealingTest, TheSameSeedGivesTheSameOperationsAtTheSameTimesOnOneTwoAndSevenAgents) {
  const std::vector<uint64_t> on_one = OperationsOf(1, 7);
  EXPECT_GT(on_one.size(), 29'000u);
  EXPECT_EQ(OperationsOf(2, 7), on_one);
  EXPECT_EQ(OperationsOf(7, 7), on_one);
  EXPECT_NE(OperationsOf(1, 8), on_one);
}

}  // namespace
}  // namespace crest
