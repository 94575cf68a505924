#include "agent/engines/sim/queue_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace crest {
namespace {

using testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

absl::StatusOr<QueueModelSpec> Parse(absl::string_view url) { return ParseQueueModel(*ParseTarget(url)); }

TEST(QueueModelSpecTest, ReadsServersTimeAndLaw) {
  const auto spec = Parse("sim://?servers=8&service_time=2ms&law=fixed");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->servers, 8u);
  EXPECT_EQ(spec->service_time_ns, 2'000'000);
  EXPECT_EQ(spec->law, ServiceLaw::kFixed);
  EXPECT_FALSE(spec->stall || spec->warming || spec->overload || spec->cliff);
}

TEST(QueueModelSpecTest, ReadsWhatMakesAServerHardToMeasure) {
  const auto spec = Parse(
      "sim://?law=lognormal&cv=3&stall=1s&stall_every=10s&cold=8ms&warm_operations=5000&overload=100"
      "&overload_capacity=0.7&overload_recovery=5s&cliff=2000&cliff_factor=4");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->law, ServiceLaw::kLognormal);
  EXPECT_EQ(spec->variation, 3);
  EXPECT_EQ(spec->stall->length_ns, kSecond);
  EXPECT_EQ(spec->stall->every_ns, 10 * kSecond);
  EXPECT_EQ(spec->warming->cold_ns, 8'000'000);
  EXPECT_EQ(spec->warming->operations, 5000);
  EXPECT_EQ(spec->overload->queue, 100u);
  EXPECT_EQ(spec->overload->capacity, 0.7);
  EXPECT_EQ(spec->overload->recovery_ns, 5 * kSecond);
  EXPECT_EQ(spec->cliff->ops_per_s, 2000);
  EXPECT_EQ(spec->cliff->factor, 4);
}

TEST(QueueModelSpecTest, RefusesWhatItDoesNotKnow) {
  for (const auto& [url, message] :
       std::vector<std::pair<std::string, std::string>>{{"sim://?servers=0", "servers=0"},
                                                        {"sim://?servers=many", "servers=many"},
                                                        {"sim://?service_time=0ms", "service_time=0ms"},
                                                        {"sim://?service_time=2parsecs", "2parsecs"},
                                                        {"sim://?law=murphy", "law=murphy"},
                                                        {"sim://?cv=3", "needs law=lognormal"},
                                                        {"sim://?law=lognormal&cv=nan", "cv=nan"},
                                                        {"sim://?stall=1s", "needs stall_every, too"},
                                                        {"sim://?stall=2s&stall_every=2s", "not shorter"},
                                                        {"sim://?cold=1ms", "needs warm_operations, too"},
                                                        {"sim://?overload_recovery=1s", "needs overload, too"},
                                                        {"sim://?overload=5&overload_capacity=0", "from 0.01 to 1"},
                                                        {"sim://?cliff_factor=2", "needs cliff, too"},
                                                        {"sim://?cliff=-1", "cliff=-1"},
                                                        {"sim://?stal=1s&stall_every=2s", "did you mean stall?"},
                                                        {"sim://host/path", "no host or path"}}) {
    EXPECT_THAT(Parse(url).status().ToString(), HasSubstr(message)) << url;
  }
}

TEST(EndOfWorkTest, GoesOnAfterAStallWhereItWas) {
  const StallSpec stall{.length_ns = 10, .every_ns = 100};  // works in [0, 90), [100, 190), …
  const MonoTime epoch{1000};
  const auto end = [&](int64_t offset, int64_t work) { return EndOfWork(stall, epoch, epoch + offset, work) - epoch; };
  EXPECT_EQ(end(0, 90), 90);
  EXPECT_EQ(end(0, 91), 101);
  EXPECT_EQ(end(80, 20), 110);
  EXPECT_EQ(end(90, 5), 105);   // as the stall begins
  EXPECT_EQ(end(95, 5), 105);   // while it lasts
  EXPECT_EQ(end(100, 5), 105);  // as it ends
  EXPECT_EQ(end(250, 200), 470);
}

double Share(const std::vector<double>& values, double below) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), [&](double v) { return v <= below; })) /
         static_cast<double>(values.size());
}

// ln X is normal with variance ln(1 + cv²) around a mean that makes E X = 1 (Johnson, Kotz, Balakrishnan, "Continuous
// Univariate Distributions" I, ch. 14). Shares scatter by 0.0005 at most, the mean by 0.003.
TEST(DrawServiceTest, LognormalHasTheTextbooksQuantilesAndMean) {
  constexpr double kVariation = 3;
  constexpr int kDraws = 1'000'000;
  Random random(5);
  std::vector<double> draws;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += draws.emplace_back(DrawService(ServiceLaw::kLognormal, kVariation, random));
  EXPECT_NEAR(sum / kDraws, 1, 0.01);
  const double sigma = std::sqrt(std::log(1 + kVariation * kVariation));
  const double median = 1 / std::sqrt(1 + kVariation * kVariation);
  EXPECT_NEAR(Share(draws, median), 0.5, 0.002);
  EXPECT_NEAR(Share(draws, median * std::exp(sigma)), 0.841345, 0.002);
  EXPECT_NEAR(Share(draws, median * std::exp(-2 * sigma)), 0.022750, 0.001);
}

TEST(QueueModelTest, FixedServiceOfTwoServersFollowsFromTheArrivals) {
  QueueModel queue({.servers = 2, .service_time_ns = 10, .law = ServiceLaw::kFixed}, 1);
  EXPECT_EQ(queue.Arrive(MonoTime{100}).ns, 110);
  EXPECT_EQ(queue.Arrive(MonoTime{101}).ns, 111);
  EXPECT_EQ(queue.Arrive(MonoTime{102}).ns, 120);  // waits for the first
  EXPECT_EQ(queue.Arrive(MonoTime{103}).ns, 121);
  EXPECT_EQ(queue.Arrive(MonoTime{200}).ns, 210);
}

TEST(QueueModelTest, AStallCountsFromTheFirstOperation) {
  QueueModelSpec spec{.servers = 1, .service_time_ns = 10, .law = ServiceLaw::kFixed};
  spec.stall = {.length_ns = 30, .every_ns = 100};
  QueueModel queue(spec, 1);
  EXPECT_EQ(queue.Arrive(MonoTime{500}).ns, 510);
  EXPECT_EQ(queue.Arrive(MonoTime{565}).ns, 605);  // half before the stall from 570 to 600, half after
  EXPECT_EQ(queue.Arrive(MonoTime{580}).ns, 615);
}

// Σ of n services = n · warm + (cold − warm) · (1 − e^(−n/w)) ÷ (1 − e^(−1/w)).
TEST(QueueModelTest, AWarmingCacheSpendsWhatTheSeriesSays) {
  QueueModelSpec spec{.servers = 1, .service_time_ns = 1'000'000, .law = ServiceLaw::kFixed};
  spec.warming = {.cold_ns = 9'000'000, .operations = 500};
  QueueModel queue(spec, 1);
  MonoTime last;
  constexpr int kOperations = 2000;
  for (int i = 0; i < kOperations; ++i) last = queue.Arrive(MonoTime{0});
  const double excess = 8e6 * (1 - std::exp(-kOperations / 500.0)) / (1 - std::exp(-1 / 500.0));
  EXPECT_NEAR(static_cast<double>(last.ns), 1e6 * kOperations + excess, kOperations);
}

QueueModelSpec Overloadable() {
  QueueModelSpec spec{.servers = 1, .service_time_ns = kSecond, .law = ServiceLaw::kFixed};
  spec.overload = {.queue = 2, .capacity = 0.8, .recovery_ns = 10 * kSecond};
  return spec;
}

TEST(QueueModelTest, AnOverloadCostsCapacityUntilSomeTimeAfterTheQueueHasDrained) {
  QueueModel queue(Overloadable(), 1);
  const auto at = [&](double seconds) {
    return static_cast<double>(queue.Arrive(MonoTime{} + absl::Seconds(seconds)).ns) / 1e9;
  };
  EXPECT_EQ(at(100), 101);
  EXPECT_EQ(at(100), 102);  // waits alone
  EXPECT_EQ(at(100), 103);
  EXPECT_EQ(at(100), 104);     // two wait before it: still in bounds
  EXPECT_EQ(at(100), 105.25);  // three wait: 1 s ÷ 0.8
  // The last of them begins at 104: from then on nothing waits, and at 114 all is as it was.
  EXPECT_EQ(at(113.9), 115.15);
  EXPECT_EQ(at(116), 117);
}

TEST(QueueModelTest, AnotherOverloadBeforeTheRecoveryStartsItAnew) {
  QueueModel queue(Overloadable(), 1);
  const auto at = [&](double seconds) {
    return static_cast<double>(queue.Arrive(MonoTime{} + absl::Seconds(seconds)).ns) / 1e9;
  };
  for (int i = 0; i < 5; ++i) at(100);  // empty again at 104
  for (int i = 0; i < 5; ++i) at(110);  // five of 1.25 s: the last begins at 115
  EXPECT_EQ(at(124.9), 126.15);
  EXPECT_EQ(at(127), 128);
}

TEST(ArrivalRateTest, IsTheRateOfASteadyStream) {
  ArrivalRate rate;
  double seen = 0;
  for (int i = 0; i < 20'000; ++i) seen = rate.Arrive(MonoTime{1'000'000 * int64_t{i}});
  // Of even arrivals each gap apart: Σ e^(−k·gap) over k ≥ 1.
  EXPECT_NEAR(seen, 1 / (std::exp(0.001) - 1), 1e-3);
}

TEST(QueueModelTest, ACliffShowsBeyondItsRateAlone) {
  QueueModelSpec spec{.servers = 8, .service_time_ns = 100'000, .law = ServiceLaw::kFixed};
  spec.cliff = {.ops_per_s = 1000, .factor = 5};
  const auto service_at = [&](double rate) {
    QueueModel queue(spec, 1);
    MonoTime now;
    MonoTime done;
    for (int i = 0; i < 20 * rate; ++i) {
      now = now + std::llround(1e9 / rate);
      done = queue.Arrive(now);
    }
    return done - now;
  };
  EXPECT_EQ(service_at(990), 100'000);
  EXPECT_EQ(service_at(1010), 500'000);
}

}  // namespace
}  // namespace crest
