#include "workloads/alias_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace crest {
namespace {

// What share of all 2^64 inputs gives each value, to 2^-20, by an even grid.
std::vector<double> SharesOf(const AliasTable& table, size_t values) {
  std::vector<double> shares(values);
  constexpr uint64_t kGrid = uint64_t{1} << 22;
  for (uint64_t i = 0; i < kGrid; ++i) shares[table.Draw((i << 42) + (uint64_t{1} << 41))] += 1.0 / kGrid;
  return shares;
}

TEST(AliasTableTest, DrawsByWeight) {
  for (const std::vector<double>& weights :
       std::vector<std::vector<double>>{{1},
                                        {1, 1},
                                        {0.26, 0.24, 0.18, 0.11, 0.10, 0.04, 0.02, 0.01, 0.01, 0.02, 0.01},
                                        {5, 0, 1},
                                        {1e-3, 1, 1e3}}) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    const std::vector<double> shares = SharesOf(AliasTable(weights), weights.size());
    for (size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(shares[i], weights[i] / sum, 4e-6) << i;
  }
}

TEST(AliasTableTest, NeverDrawsWhatHasNoWeight) {
  EXPECT_EQ(SharesOf(AliasTable({0.0, 1.0, 0.0}), 3), (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace crest
