#include "workloads/arrival_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace crest {
namespace {

constexpr double kPhi = 1.6180339887498949;

TEST(ArrivalScheduleTest, UniformArrivalsDoNotDrift) {
  // A rate whose interval is no whole number of anything: 10^9 ÷ 7,001 ns.
  ArrivalSchedule schedule(v1::ARRIVALS_UNIFORM, 7001, 1, 0, 0);
  constexpr uint64_t kArrivals = 1'000'000'000;
  for (uint64_t n = 0; n < kArrivals; ++n) schedule.Advance();
  const double bound_ns = kArrivals * 0x1.0p-33 + 1;
  EXPECT_NEAR(static_cast<double>(schedule.due_ns() - int64_t{142'836'737'608'913}), 0, bound_ns);
}

TEST(ArrivalScheduleTest, IntervalsAreExactAtEveryRate) {
  for (const double rate : {1e-6, 1e-3, 0.125, 1.0 / 3, 1.0, 1.5, 17.3, 1e3, 123'456.7, 1e6, 1e9}) {
    ArrivalSchedule schedule(v1::ARRIVALS_UNIFORM, rate, 1, 0, 0);
    ASSERT_EQ(schedule.due_ns(), 0);
    constexpr int kArrivals = 1000;
    for (int n = 0; n < kArrivals; ++n) schedule.Advance();
    const auto expected = static_cast<double>(1e12L / static_cast<long double>(rate));
    // Doubles cannot hold the larger ones exactly.
    EXPECT_NEAR(static_cast<double>(schedule.due_ns()), expected, std::max(1.0, expected * 1e-13)) << rate;
  }
}

TEST(ArrivalScheduleTest, RatesFromOutsideStayInBounds) {
  for (const double rate : {0.0, -1.0, 1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
    for (const v1::Arrivals law : {v1::ARRIVALS_UNIFORM, v1::ARRIVALS_POISSON, v1::ARRIVALS_JITTERED}) {
      ArrivalSchedule schedule(law, rate, 1, 5, 0);
      const int64_t first = schedule.due_ns();
      for (int i = 0; i < 1000; ++i) schedule.Advance();
      EXPECT_GE(first, 0) << rate;
      EXPECT_GT(schedule.due_ns(), first) << rate;
    }
  }
}

TEST(ArrivalScheduleTest, JitteredArrivalsFallOncePerIntervalAnywhereInIt) {
  for (const uint32_t stream : {0u, 7u}) {
    const ArrivalSchedule uniform(v1::ARRIVALS_UNIFORM, 1000, 1, stream, 0);
    ArrivalSchedule schedule(v1::ARRIVALS_JITTERED, 1000, 1, stream, 0);
    constexpr int kArrivals = 100'000;
    std::vector<double> places;
    for (int n = 0; n < kArrivals; ++n, schedule.Advance()) {
      const int64_t place = schedule.due_ns() - (uniform.due_ns() + n * int64_t{1'000'000});
      ASSERT_GE(place, 0) << n;
      ASSERT_LE(place, 1'000'000) << n;
      places.push_back(static_cast<double>(place) / 1e6);
    }
    // Kolmogorov and Smirnov's 1 % point; the seed is fixed.
    std::sort(places.begin(), places.end());
    double distance = 0;
    for (int n = 0; n < kArrivals; ++n) {
      distance = std::max(distance, std::abs(places[static_cast<size_t>(n)] - (n + 0.5) / kArrivals));
    }
    EXPECT_LT(distance, 1.63 / std::sqrt(kArrivals)) << stream;
  }
}

TEST(ArrivalScheduleTest, StreamsStartOutOfPhase) {
  for (const uint32_t stream : {0u, 1u, 2u, 1000u, 99'999u, UINT32_MAX}) {
    const ArrivalSchedule schedule(v1::ARRIVALS_UNIFORM, 2, 1, stream, 0);
    const double turns = static_cast<double>(stream) * (kPhi - 1);
    const double phase = turns - std::floor(turns);
    EXPECT_NEAR(static_cast<double>(schedule.due_ns()), phase * 5e8, 500) << stream;
  }
}

TEST(ArrivalScheduleTest, UniformStreamsTogetherLeaveEvenGaps) {
  // Three-gap theorem: the points frac(s·φ) leave gaps of at most three lengths; for the golden ratio the longest is at
  // most φ² times the shortest.
  for (const uint32_t streams : {2u, 64u, 89u, 100u, 400u}) {
    std::vector<int64_t> due;
    for (uint32_t stream = 0; stream < streams; ++stream) {
      ArrivalSchedule schedule(v1::ARRIVALS_UNIFORM, 1, 1, stream, 0);
      for (; schedule.due_ns() < 3'000'000'000; schedule.Advance()) due.push_back(schedule.due_ns());
    }
    ASSERT_EQ(due.size(), 3 * streams);
    std::sort(due.begin(), due.end());
    std::vector<int64_t> gaps;
    for (size_t i = 1; i < due.size(); ++i) gaps.push_back(due[i] - due[i - 1]);
    std::sort(gaps.begin(), gaps.end());
    int lengths = 1;
    for (size_t i = 1; i < gaps.size(); ++i) lengths += gaps[i] > gaps[i - 1] + 2;  // rounding to whole ns
    EXPECT_LE(lengths, 3) << streams;
    EXPECT_LE(static_cast<double>(gaps.back()), kPhi * kPhi * static_cast<double>(gaps.front() + 2)) << streams;
  }
}

TEST(ArrivalScheduleTest, UniformRatesHold) {
  for (const double rate : {100.0, 1000.0, 30'000.0, 150'000.0, 200'000.0}) {
    int64_t count = 0;
    for (uint32_t stream = 0; stream < 64; ++stream) {
      ArrivalSchedule schedule(v1::ARRIVALS_UNIFORM, rate / 64, 1, stream, 0);
      for (; schedule.due_ns() < 10'000'000'000; schedule.Advance()) ++count;
    }
    EXPECT_NEAR(static_cast<double>(count), rate * 10, rate * 10 * 1e-3) << rate;
  }
}

TEST(ArrivalScheduleTest, PoissonRatesHold) {
  for (const double rate : {100.0, 20'000.0, 200'000.0}) {
    ArrivalSchedule schedule(v1::ARRIVALS_POISSON, rate, 1, 0, 0);
    constexpr int kArrivals = 10'000'000;  // the mean's standard deviation is 0.03 %
    for (int n = 1; n < kArrivals; ++n) schedule.Advance();
    EXPECT_NEAR(static_cast<double>(schedule.due_ns()), kArrivals / rate * 1e9, kArrivals / rate * 1e9 * 1e-3) << rate;
  }
}

// Largest distance of the samples' distribution from 1 − exp(−x), times √n: above 1.95 once in 1,000.
double KolmogorovSmirnov(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double law = -std::expm1(-samples[i]);
    distance = std::max({distance, law - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - law});
  }
  return distance * std::sqrt(n);
}

TEST(ArrivalScheduleTest, PoissonGapsAreExponential) {
  for (const double rate : {0.01, 50.0, 100'000.0}) {
    ArrivalSchedule schedule(v1::ARRIVALS_POISSON, rate, 1, 3, 2);
    std::vector<double> gaps;
    int64_t last = 0;
    for (int i = 0; i < 200'000; ++i, schedule.Advance()) {
      gaps.push_back(static_cast<double>(schedule.due_ns() - last) * rate * 1e-9);
      last = schedule.due_ns();
    }
    EXPECT_LT(KolmogorovSmirnov(std::move(gaps)), 1.95) << rate;
  }
}

TEST(ArrivalScheduleTest, PoissonStreamsTogetherArePoisson) {
  std::vector<int64_t> due;
  for (uint32_t stream = 0; stream < 100; ++stream) {
    ArrivalSchedule schedule(v1::ARRIVALS_POISSON, 10, 1, stream, 0);
    for (; schedule.due_ns() < 100'000'000'000; schedule.Advance()) due.push_back(schedule.due_ns());
  }
  std::sort(due.begin(), due.end());
  std::vector<double> gaps;
  for (size_t i = 1; i < due.size(); ++i) gaps.push_back(static_cast<double>(due[i] - due[i - 1]) * 1e-6);
  EXPECT_LT(KolmogorovSmirnov(std::move(gaps)), 1.95);
}

TEST(ArrivalScheduleTest, PoissonHangsOnSeedStreamAndPoint) {
  const auto first = [](uint64_t seed, uint32_t stream, uint32_t point) {
    return ArrivalSchedule(v1::ARRIVALS_POISSON, 1, seed, stream, point).due_ns();
  };
  EXPECT_EQ(first(1, 2, 3), first(1, 2, 3));
  EXPECT_NE(first(1, 2, 3), first(2, 2, 3));
  EXPECT_NE(first(1, 2, 3), first(1, 3, 3));
  EXPECT_NE(first(1, 2, 3), first(1, 2, 4));
}

}  // namespace
}  // namespace crest
