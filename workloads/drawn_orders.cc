#include "workloads/drawn_orders.h"

#include <cstddef>
#include <utility>

namespace crest {
namespace {

bool CountsUp(const std::vector<uint16_t>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != i) return false;
  }
  return true;
}

}  // namespace

DrawnOrders::DrawnOrders(std::vector<uint16_t> values, uint32_t orders, uint64_t key)
    : key_(key), order_mask_(orders - 1), size_(values.size()) {
  const bool is_permutation = CountsUp(values);
  values_.reserve(size_ * orders);
  if (is_permutation) places_.resize(size_ * orders);
  Random random(key);
  for (uint32_t order = 0; order < orders; ++order) {
    for (size_t i = size_; i > 1; --i) std::swap(values[i - 1], values[random.Below(i)]);
    values_.insert(values_.end(), values.begin(), values.end());
    for (size_t i = 0; is_permutation && i < size_; ++i) {
      places_[order * size_ + values[i]] = static_cast<uint16_t>(i);
    }
  }
}

}  // namespace crest
