#include "workloads/drawn_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace crest {
namespace {

std::vector<uint16_t> CountingUp(size_t size) {
  std::vector<uint16_t> values(size);
  std::iota(values.begin(), values.end(), uint16_t{0});
  return values;
}

TEST(DrawnOrdersTest, EveryOrderHoldsAllValuesAndFindUndoesAt) {
  for (const size_t size : {1, 2, 3, 9, 30, 1000}) {
    const DrawnOrders orders(CountingUp(size), 16, 7);
    for (uint64_t n = 0; n < 200; ++n) {
      std::set<uint16_t> seen;
      for (uint64_t place = 0; place < size; ++place) {
        const uint16_t value = orders.At(n, place);
        seen.insert(value);
        ASSERT_EQ(orders.Find(n, value), place);
      }
      ASSERT_EQ(seen.size(), size);
    }
  }
}

TEST(DrawnOrdersTest, RepeatedValuesKeepTheirNumber) {
  const DrawnOrders orders({1, 1, 1, 5, 5, 9}, 8, 7);
  for (uint64_t n = 0; n < 100; ++n) {
    std::vector<uint16_t> values;
    for (uint64_t place = 0; place < 6; ++place) values.push_back(orders.At(n, place));
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values, (std::vector<uint16_t>{1, 1, 1, 5, 5, 9}));
  }
}

TEST(DrawnOrdersTest, EveryValueIsEquallyLikelyAtEveryPlace) {
  constexpr size_t kSize = 30;
  constexpr int kOrders = 30'000;
  const DrawnOrders orders(CountingUp(kSize), 64, 7);
  for (uint64_t place = 0; place < kSize; ++place) {
    std::vector<int> counts(kSize);
    for (uint64_t n = 0; n < kOrders; ++n) ++counts[orders.At(n, place)];
    const double expected = static_cast<double>(kOrders) / kSize;
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    // 29 degrees of freedom: above 66.2 once in 10,000.
    EXPECT_LT(chi_square, 66.2) << place;
  }
}

TEST(DrawnOrdersTest, OrdersDiffer) {
  const DrawnOrders orders(CountingUp(30), 64, 7);
  const DrawnOrders other_key(CountingUp(30), 64, 8);
  std::set<std::vector<uint16_t>> seen;
  const auto add = [&](const DrawnOrders& from, uint64_t n) {
    std::vector<uint16_t> order;
    for (uint64_t place = 0; place < 30; ++place) order.push_back(from.At(n, place));
    seen.insert(order);
  };
  for (uint64_t n = 0; n < 200; ++n) {
    add(orders, n);
    add(other_key, n);
  }
  // 400 picks of 3,840 meet about 10 times.
  EXPECT_GT(seen.size(), 370u);
}

}  // namespace
}  // namespace crest
