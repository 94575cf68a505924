// When operations leave, measured at the engine: rate, law of the gaps, and bursts over many streams and agents.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/simulation/simulated_fleet.h"

namespace crest {
namespace {

struct Pace {
  v1::Arrivals law;
  double ops_per_sec;
  double seconds;
};

std::string NameOf(const testing::TestParamInfo<Pace>& info) {
  return absl::StrCat(info.param.law == v1::ARRIVALS_POISSON ? "poisson" : "uniform",
                      std::lround(info.param.ops_per_sec));
}

/// The times, in ns from the start of the point, at which operations reach the engines of `agents` agents.
std::vector<int64_t> SendTimes(const Pace& pace, uint32_t agents, uint32_t streams) {
  std::vector<int64_t> times;
  SimulatedFleetOptions options;
  options.target = "null:";
  options.workload = OpenWorkload(pace.law);
  options.agents = agents;
  options.streams = streams;
  int64_t start_ns = 0;
  options.on_submit = [&](const Operation&, MonoTime now) { times.push_back(now.ns - start_ns); };
  SimulatedFleet fleet(options);
  start_ns = fleet.clock().Now().ns + 1'000'000'000;
  fleet.RunPoint(1, pace.ops_per_sec, absl::ZeroDuration(), absl::Seconds(pace.seconds));
  return times;
}

class RateTest : public testing::TestWithParam<Pace> {};

// Poisson counts scatter by √n, so those runs are long enough that 0.1 % is more than three standard deviations: 10^7
// operations give 0.03 %.
TEST_P(RateTest, AchievedIsWithinATenthOfAPercentOfRequested) {
  const Pace& pace = GetParam();
  const auto sent = static_cast<double>(SendTimes(pace, 1, 100).size());
  EXPECT_NEAR(sent / (pace.ops_per_sec * pace.seconds), 1, 0.001);
}

INSTANTIATE_TEST_SUITE_P(
    Rates, RateTest,
    testing::Values(Pace{v1::ARRIVALS_UNIFORM, 100, 100}, Pace{v1::ARRIVALS_UNIFORM, 1'000, 100},
                    Pace{v1::ARRIVALS_UNIFORM, 30'000, 20}, Pace{v1::ARRIVALS_UNIFORM, 100'000, 10},
                    Pace{v1::ARRIVALS_UNIFORM, 150'000, 10}, Pace{v1::ARRIVALS_UNIFORM, 200'000, 10},
                    Pace{v1::ARRIVALS_POISSON, 100, 100'000}, Pace{v1::ARRIVALS_POISSON, 10'000, 1'000},
                    Pace{v1::ARRIVALS_POISSON, 150'000, 67}, Pace{v1::ARRIVALS_POISSON, 200'000, 50}),
    NameOf);

/// Kolmogorov's distance between the gaps and an exponential law of the same rate.
double DistanceFromExponential(std::vector<double> gaps, double rate) {
  std::sort(gaps.begin(), gaps.end());
  double distance = 0;
  const auto n = static_cast<double>(gaps.size());
  for (size_t i = 0; i < gaps.size(); ++i) {
    const double law = 1 - std::exp(-gaps[i] * rate);
    distance = std::max(
        {distance, std::abs(law - static_cast<double>(i) / n), std::abs(law - static_cast<double>(i + 1) / n)});
  }
  return distance;
}

TEST(GapTest, PoissonGapsOfOneStreamAndOfAHundredFollowTheirLaw) {
  for (const uint32_t streams : {1u, 100u}) {
    const std::vector<int64_t> times = SendTimes({v1::ARRIVALS_POISSON, 10'000, 20}, 1, streams);
    std::vector<double> gaps;
    for (size_t i = 1; i < times.size(); ++i) gaps.push_back(static_cast<double>(times[i] - times[i - 1]) * 1e-9);
    // 1.63 / √n: the 1 % point of the Kolmogorov-Smirnov test. The seed is fixed, so it passes always or never.
    EXPECT_LT(DistanceFromExponential(gaps, 10'000), 1.63 / std::sqrt(static_cast<double>(gaps.size()))) << streams;
  }
}

TEST(GapTest, UniformGapsOfOneStreamAreAllAlike) {
  const std::vector<int64_t> times = SendTimes({v1::ARRIVALS_UNIFORM, 150'000, 2}, 1, 1);
  for (size_t i = 1; i < times.size(); ++i) {
    const int64_t gap = times[i] - times[i - 1];  // 6,666.67 ns
    ASSERT_TRUE(gap == 6666 || gap == 6667) << i;
  }
}

/// Variance ÷ mean of the counts in windows of `window_ns`: 1 for Poisson arrivals, near 0 for even ones, more for
/// bursts.
double IndexOfDispersion(const std::vector<int64_t>& times, int64_t window_ns, double seconds) {
  std::vector<double> counts(static_cast<size_t>(seconds * 1e9) / static_cast<size_t>(window_ns));
  for (const int64_t t : times) {
    const auto window = static_cast<size_t>(t / window_ns);
    if (window < counts.size()) ++counts[window];
  }
  double mean = 0;
  for (const double count : counts) mean += count / static_cast<double>(counts.size());
  double variance = 0;
  for (const double count : counts)
    variance += (count - mean) * (count - mean) / static_cast<double>(counts.size() - 1);
  return variance / mean;
}

constexpr int64_t kMillisecond = 1'000'000;

TEST(BurstTest, AHundredPoissonStreamsOnFourAgentsAreAsScatteredAsTheirLaw) {
  constexpr double kSeconds = 400;
  const std::vector<int64_t> times = SendTimes({v1::ARRIVALS_POISSON, 5'000, kSeconds}, 4, 100);
  for (const int64_t window_ms : {1, 10, 100}) {
    // The index of n windows of a Poisson process scatters by √(2/n) around 1.
    const double windows = kSeconds * 1000 / static_cast<double>(window_ms);
    EXPECT_NEAR(IndexOfDispersion(times, window_ms * kMillisecond, kSeconds), 1, 3.5 * std::sqrt(2 / windows))
        << window_ms;
  }
}

TEST(BurstTest, AHundredUniformStreamsOnFourAgentsAreAsEvenAsTheirLaw) {
  constexpr double kSeconds = 20;
  constexpr double kRate = 5'000;
  const std::vector<int64_t> times = SendTimes({v1::ARRIVALS_UNIFORM, kRate, kSeconds}, 4, 100);
  // The law itself, derived from its words alone: stream s is due at (k + frac(s·φ)) intervals of 1/50 s.
  const long double golden = (1 + std::sqrt(5.0L)) / 2;
  std::vector<int64_t> law;
  for (int s = 0; s < 100; ++s) {
    const long double phase = s * golden - std::floor(s * golden);
    for (int k = 0; k < static_cast<int>(kSeconds * 50); ++k) law.push_back(static_cast<int64_t>((k + phase) * 2e7L));
  }
  for (const int64_t window_ms : {1, 10, 100}) {
    const double expected = IndexOfDispersion(law, window_ms * kMillisecond, kSeconds);
    EXPECT_NEAR(IndexOfDispersion(times, window_ms * kMillisecond, kSeconds), expected, 0.002) << window_ms;
    EXPECT_LT(expected, 0.2) << window_ms;
  }
}

}  // namespace
}  // namespace crest
