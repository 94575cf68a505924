#include "results/statistics/ratio_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "results/statistics/distributions.h"

namespace crest {
namespace {

constexpr size_t kMostBatches = 30;   // more hardly narrow the interval
constexpr size_t kFewestBatches = 8;  // fewer widen it more than the correlation left would
// Neighbouring batches that hang together more than this are made longer.
constexpr double kMostCorrelation = 0.15;

std::vector<WeightedSum> Batches(absl::Span<const WeightedSum> series, size_t count) {
  std::vector<WeightedSum> batches(count);
  for (size_t i = 0; i < series.size(); ++i) {
    WeightedSum& batch = batches[i * count / series.size()];
    batch.sum += series[i].sum;
    batch.weight += series[i].weight;
  }
  return batches;
}

struct Residuals {
  double sum_of_squares = 0;
  double lag_one = 0;  // correlation of neighbours
};

Residuals ResidualsOf(const std::vector<WeightedSum>& batches, double ratio) {
  Residuals residuals;
  double products = 0;
  double before = 0;
  for (const WeightedSum& batch : batches) {
    const double residual = batch.sum - ratio * batch.weight;
    residuals.sum_of_squares += residual * residual;
    products += before * residual;
    before = residual;
  }
  // The residuals sum to 0, which alone makes neighbours look opposed by 1 ÷ their number.
  if (residuals.sum_of_squares > 0) {
    residuals.lag_one = products / residuals.sum_of_squares + 1.0 / static_cast<double>(batches.size());
  }
  return residuals;
}

}  // namespace

double RatioEstimate::HalfWidth(double confidence) const {
  if (standard_error == 0) return 0;
  return StudentQuantile(0.5 + confidence / 2, degrees_of_freedom) * standard_error;
}

double RatioEstimate::TailAbove(double bound) const {
  if (standard_error == 0) return ratio > bound ? 0 : 1;
  return StudentTail((ratio - bound) / standard_error, degrees_of_freedom);
}

std::optional<RatioEstimate> EstimateRatio(absl::Span<const WeightedSum> series) {
  WeightedSum all;
  for (const WeightedSum& interval : series) {
    all.sum += interval.sum;
    all.weight += interval.weight;
  }
  if (series.size() < static_cast<size_t>(kLeastIntervals) || !(all.weight > 0)) return std::nullopt;
  const double ratio = all.sum / all.weight;
  size_t count = std::min(series.size(), kMostBatches);
  Residuals residuals = ResidualsOf(Batches(series, count), ratio);
  while (residuals.lag_one > kMostCorrelation && count > kFewestBatches) {
    count = std::max(count * 2 / 3, kFewestBatches);
    residuals = ResidualsOf(Batches(series, count), ratio);
  }
  const auto n = static_cast<double>(count);
  // What correlation the longest batches still have, as of a first-order autoregressive series.
  const double left = std::clamp(residuals.lag_one, 0.0, 0.7);
  const double inflation = left > kMostCorrelation ? (1 + left) / (1 - left) : 1;
  RatioEstimate estimate;
  estimate.ratio = ratio;
  estimate.standard_error = std::sqrt(n / (n - 1) * residuals.sum_of_squares * inflation) / all.weight;
  estimate.degrees_of_freedom = n - 1;
  return estimate;
}

}  // namespace crest
