#include "results/statistics/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "results/statistics/distributions.h"

namespace crest {
namespace {

// Upper 1 % point of the studentized range of five groups, infinite degrees of freedom (Pearson and Hartley: Biometrika
// Tables for Statisticians, table 29).
constexpr double kStudentizedRange = 4.60;
constexpr double kTrendConfidence = 0.99;
// A trend that moves the figure less than this does not keep a warm-up from being over.
constexpr double kHarmlessTrend = 0.05;

double RatioOf(const WeightedSum& sum) { return sum.weight > 0 ? sum.sum / sum.weight : 0; }

WeightedSum SumOf(absl::Span<const WeightedSum> series) {
  WeightedSum sum;
  for (const WeightedSum& interval : series) {
    sum.sum += interval.sum;
    sum.weight += interval.weight;
  }
  return sum;
}

}  // namespace

std::optional<Trend> TrendOf(absl::Span<const WeightedSum> series) {
  const std::optional<RatioEstimate> estimate = EstimateRatio(series);
  if (!estimate) return std::nullopt;
  // Weighted least squares over the middles of the intervals.
  const WeightedSum all = SumOf(series);
  const auto n = static_cast<double>(series.size());
  double middle = 0;
  for (size_t i = 0; i < series.size(); ++i) middle += series[i].weight * static_cast<double>(i);
  middle /= all.weight;
  double moment = 0;
  double spread = 0;
  for (size_t i = 0; i < series.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    moment += x * (series[i].sum - estimate->ratio * series[i].weight);
    spread += series[i].weight * x * x;
  }
  Trend trend;
  trend.mean = estimate->ratio;
  if (spread <= 0) return trend;
  const double slope = moment / spread;
  trend.change = slope * (n - 1);
  // Around the line, not around the mean: a steep line would otherwise hide itself.
  std::vector<WeightedSum> flat(series.begin(), series.end());
  for (size_t i = 0; i < flat.size(); ++i) flat[i].sum -= flat[i].weight * slope * (static_cast<double>(i) - middle);
  const std::optional<RatioEstimate> around = EstimateRatio(flat);
  // The variance of a slope is that of the mean times weight ÷ spread.
  trend.standard_error = around->standard_error * std::sqrt(all.weight / spread) * (n - 1);
  return trend;
}

std::optional<size_t> SettledFrom(absl::Span<const WeightedSum> series) {
  const size_t n = series.size();
  const size_t last = n / 2;
  if (n - last < static_cast<size_t>(kLeastIntervals)) return std::nullopt;
  // From the end on: sums of the interval's ratios and their squares give each cut's standard error in turn.
  double sum = 0;
  double squares = 0;
  double best = 0;
  size_t cut = n;
  for (size_t i = n; i-- > 0;) {
    const double ratio = RatioOf(series[i]);
    sum += ratio;
    squares += ratio * ratio;
    if (i > last) continue;
    const auto kept = static_cast<double>(n - i);
    const double mean = sum / kept;
    const double error = std::max(squares / kept - mean * mean, 0.0) / kept;
    if (cut == n || error <= best) {
      best = error;
      cut = i;
    }
  }
  if (cut == last) return std::nullopt;
  const std::optional<Trend> trend = TrendOf(series.subspan(cut));
  if (!trend) return std::nullopt;
  const double sure = NormalQuantile(0.5 + kTrendConfidence / 2) * trend->standard_error;
  if (std::fabs(trend->change) > sure && std::fabs(trend->change) > kHarmlessTrend * trend->mean) return std::nullopt;
  return cut;
}

std::optional<Steadiness> SteadinessOf(absl::Span<const WeightedSum> series) {
  if (series.size() < static_cast<size_t>(kRounds)) return std::nullopt;
  const std::optional<Trend> trend = TrendOf(series);
  const std::optional<RatioEstimate> estimate = EstimateRatio(series);
  if (!trend || !estimate || !(estimate->ratio > 0)) return std::nullopt;
  std::array<WeightedSum, kRounds> rounds;
  for (size_t i = 0; i < series.size(); ++i) {
    WeightedSum& round = rounds[i * kRounds / series.size()];
    round.sum += series[i].sum;
    round.weight += series[i].weight;
  }
  double least = RatioOf(rounds[0]);
  double greatest = least;
  for (const WeightedSum& round : rounds) {
    least = std::min(least, RatioOf(round));
    greatest = std::max(greatest, RatioOf(round));
  }
  Steadiness steadiness;
  steadiness.range = (greatest - least) / estimate->ratio;
  steadiness.drift = std::fabs(trend->change) / estimate->ratio;
  // Of the noise without the drift, which would otherwise excuse itself.
  const double noise = trend->standard_error / std::sqrt(12.0);
  steadiness.range_by_chance = kStudentizedRange * noise * std::sqrt(double{kRounds}) / estimate->ratio;
  steadiness.drift_by_chance =
      StudentQuantile(0.995, estimate->degrees_of_freedom) * trend->standard_error / estimate->ratio;
  return steadiness;
}

}  // namespace crest
