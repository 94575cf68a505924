// Random orders of a list's values, one for each number of a sequence without end, in bounded memory.
#ifndef CREST_WORKLOADS_DRAWN_ORDERS_H_
#define CREST_WORKLOADS_DRAWN_ORDERS_H_

#include <cstdint>
#include <vector>

#include "workloads/key.h"

namespace crest {

/// The order of number n is one of a few drawn ones (Fisher and Yates), turned by a drawn amount; which one and how far
/// hang on (key, n). Every value is equally likely at every place. A look-up is one hash and one load, for it is part
/// of every operation. Immutable; thread-safe.
class DrawnOrders {
 public:
  DrawnOrders() = default;
  /// `values`, not more than 2^32 of them, in `orders` orders, a power of two.
  DrawnOrders(std::vector<uint16_t> values, uint32_t orders, uint64_t key);

  /// The value at `place` < values.size() in the order of n.
  uint16_t At(uint64_t n, uint64_t place) const {
    const Pick pick = PickFor(n);
    uint64_t turned = place + pick.turn;
    if (turned >= size_) turned -= size_;
    return values_[pick.order * size_ + turned];
  }

  /// The place of `value` in the order of n, for values that are a permutation of 0, 1, …, size − 1.
  uint64_t Find(uint64_t n, uint16_t value) const {
    const Pick pick = PickFor(n);
    const uint64_t turned = places_[pick.order * size_ + value];
    return turned >= pick.turn ? turned - pick.turn : turned + size_ - pick.turn;
  }

 private:
  struct Pick {
    uint64_t order;
    uint64_t turn;
  };
  Pick PickFor(uint64_t n) const {
    const uint64_t hash = ExtendKey(key_, n);
    return {hash & order_mask_, (hash >> 32) * size_ >> 32};
  }

  uint64_t key_ = 0;
  uint64_t order_mask_ = 0;
  uint64_t size_ = 0;
  std::vector<uint16_t> values_;  // order after order
  std::vector<uint16_t> places_;  // likewise: where each value is, if they are a permutation
};

}  // namespace crest

#endif  // CREST_WORKLOADS_DRAWN_ORDERS_H_
