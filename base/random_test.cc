#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace crest {
namespace {

// The values that other implementations of SplitMix64 are tested with (rosettacode.org, "Pseudo-random
// numbers/Splitmix64"; for key 0 the test vector of Java's SplittableRandom).
TEST(RandomTest, GivesThePublishedSequences) {
  Random a(1234567);
  EXPECT_EQ(a.Next(), 6457827717110365317u);
  EXPECT_EQ(a.Next(), 3203168211198807973u);
  EXPECT_EQ(a.Next(), 9817491932198370423u);
  EXPECT_EQ(a.Next(), 4593380528125082431u);
  EXPECT_EQ(a.Next(), 16408922859458223821u);
  Random b(0);
  EXPECT_EQ(b.Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(b.Next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(b.Next(), 0x06c45d188009454fu);
  EXPECT_EQ(b.Next(), 0xf88bb8a8724c81ecu);
}

TEST(RandomTest, ACopyPlaysTheSame) {
  Random a(42);
  a.Next();
  Random b = a;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
}

TEST(RandomTest, KeysDependOnOrderAndEveryPart) {
  std::set<uint64_t> keys;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t stream = 0; stream < 20; ++stream) {
      for (uint64_t point = 0; point < 20; ++point) keys.insert(MixKey(seed, stream, point));
    }
  }
  EXPECT_EQ(keys.size(), 8000u);
  EXPECT_NE(MixKey(1), MixKey(1, 0));
}

TEST(RandomTest, UnitsLieInRangeAndAreEven) {
  Random random(7);
  constexpr int kSamples = 1'000'000;
  std::vector<double> bins(100);
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double u = random.NextUnit();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    ++bins[static_cast<size_t>(u * 100)];
  }
  // 6 standard errors of the mean of a uniform law.
  EXPECT_NEAR(sum / kSamples, 0.5, 6 * std::sqrt(1.0 / 12 / kSamples));
  double chi2 = 0;
  for (const double n : bins) chi2 += (n - kSamples / 100.0) * (n - kSamples / 100.0) / (kSamples / 100.0);
  // 99 degrees of freedom: mean 99, standard deviation 14.
  EXPECT_LT(chi2, 99 + 5 * 14.1);
  EXPECT_GT(chi2, 99 - 5 * 14.1);
}

TEST(RandomTest, BelowIsInRangeAndEven) {
  Random random(8);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(random.Below(1), 0u);
  constexpr int kSamples = 700'000;
  std::vector<double> bins(7);
  for (int i = 0; i < kSamples; ++i) {
    const uint64_t n = random.Below(7);
    ASSERT_LT(n, 7u);
    ++bins[n];
  }
  for (const double n : bins) EXPECT_NEAR(n, kSamples / 7.0, 6 * std::sqrt(kSamples / 7.0 * 6 / 7));
  // The largest range reaches both its halves.
  bool low = false;
  bool high = false;
  for (int i = 0; i < 100; ++i) (random.Below(UINT64_MAX) >> 63 != 0 ? high : low) = true;
  EXPECT_TRUE(low && high);
}

TEST(RandomTest, NegativeLogEqualsTheLibrarys) {
  Random random(9);
  const auto check = [](double x) {
    const double expected = -std::log(x);
    ASSERT_NEAR(Random::NegativeLog(x), expected, 1e-14 * std::fabs(expected)) << x;
  };
  for (int i = 0; i < 200'000; ++i) check(1.0 - random.NextUnit());
  for (double x = 0x1p-53; x < 1; x *= 2) check(x);  // the smallest that 1 − NextUnit() gives, and all octaves
  for (double x = 1; x > 0.9999; x = std::nextafter(x, 0) - 1e-8) check(x);
  for (int i = 1; i <= 1000; ++i) check(1.0 - i * 0x1p-53);  // where the logarithm nearly vanishes
  check(std::sqrt(0.5));
  check(std::nextafter(std::sqrt(0.5), 0));
  check(std::nextafter(std::sqrt(0.5), 1));
  EXPECT_EQ(Random::NegativeLog(1), 0);
}

TEST(RandomTest, ExponentialsFollowTheirLaw) {
  Random random(10);
  constexpr int kSamples = 200'000;
  std::vector<double> samples(kSamples);
  double sum = 0;
  for (double& x : samples) {
    x = random.NextExponential();
    ASSERT_GE(x, 0);
    sum += x;
  }
  EXPECT_NEAR(sum / kSamples, 1, 6 / std::sqrt(kSamples));
  std::sort(samples.begin(), samples.end());
  double distance = 0;  // Kolmogorov–Smirnov
  for (int i = 0; i < kSamples; ++i) {
    const double law = 1 - std::exp(-samples[static_cast<size_t>(i)]);
    distance = std::max({distance, std::fabs(law - static_cast<double>(i) / kSamples),
                         std::fabs(law - static_cast<double>(i + 1) / kSamples)});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kSamples));  // passed by one sample set in a thousand at most
}

}  // namespace
}  // namespace crest
