#include "results/statistics/isotonic.h"

#include <cstddef>

namespace crest {

std::vector<double> IsotonicFit(absl::Span<const FitPoint> points) {
  struct Block {
    double sum;
    double weight;
    size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks;
  for (const FitPoint& point : points) {
    blocks.push_back({point.y * point.weight, point.weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block violator = blocks.back();
      blocks.pop_back();
      blocks.back().sum += violator.sum;
      blocks.back().weight += violator.weight;
      blocks.back().count += violator.count;
    }
  }
  std::vector<double> fitted;
  for (const Block& block : blocks) fitted.insert(fitted.end(), block.count, block.mean());
  return fitted;
}

std::optional<double> CrossingOf(absl::Span<const FitPoint> points, double level) {
  const std::vector<double> fitted = IsotonicFit(points);
  for (size_t i = 1; i < fitted.size(); ++i) {
    if (fitted[i - 1] > level || fitted[i] <= level) continue;
    const double part = (level - fitted[i - 1]) / (fitted[i] - fitted[i - 1]);
    return points[i - 1].x + part * (points[i].x - points[i - 1].x);
  }
  return std::nullopt;
}

}  // namespace crest
