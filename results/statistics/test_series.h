// Series with a known long-run mean.
#ifndef CREST_RESULTS_STATISTICS_TEST_SERIES_H_
#define CREST_RESULTS_STATISTICS_TEST_SERIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "results/statistics/ratio_estimate.h"

namespace crest {

/// One load point of an M/M/1 queue in steady state, second by second, by Lindley's recursion: service takes 1 ms in
/// the mean, the time in the system 1 ÷ (1 − ρ) ms.
class MM1Series {
 public:
  MM1Series(double utilisation, uint64_t seed) : utilisation_(utilisation), random_(MixKey(seed, 0x3313)) {
    // The waiting time of the steady state: 0 with probability 1 − ρ, else exponential with mean 1 ÷ (1 − ρ).
    if (random_.NextUnit() < utilisation_) waiting_ms_ = random_.NextExponential() / (1 - utilisation_);
  }

  std::vector<WeightedSum> Take(size_t seconds) {
    std::vector<WeightedSum> series(seconds);
    const double begin_ms = now_ms_;
    while (now_ms_ - begin_ms < static_cast<double>(seconds) * 1000) {
      const double service_ms = random_.NextExponential();
      WeightedSum& second = series[std::min(static_cast<size_t>((now_ms_ - begin_ms) / 1000), seconds - 1)];
      second.sum += waiting_ms_ + service_ms;
      second.weight += 1;
      const double gap_ms = random_.NextExponential() / utilisation_;
      waiting_ms_ = std::max(waiting_ms_ + service_ms - gap_ms, 0.0);
      now_ms_ += gap_ms;
    }
    return series;
  }

  double mean_ms() const { return 1 / (1 - utilisation_); }

 private:
  double utilisation_;
  Random random_;
  double waiting_ms_ = 0;
  double now_ms_ = 0;
};

/// Independent exponential times, mean 5 ms, 200 a second.
inline std::vector<WeightedSum> UncorrelatedSeries(size_t seconds, uint64_t seed) {
  Random random(MixKey(seed, 0x0c0));
  std::vector<WeightedSum> series(seconds);
  for (WeightedSum& second : series) {
    for (int i = 0; i < 200; ++i) second.sum += 5 * random.NextExponential();
    second.weight = 200;
  }
  return series;
}

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_TEST_SERIES_H_
