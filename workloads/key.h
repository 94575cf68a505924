// The keys of everything random in a workload: one tag per use, so that no two uses share a sequence.
#ifndef CREST_WORKLOADS_KEY_H_
#define CREST_WORKLOADS_KEY_H_

#include <cstdint>

#include "base/random.h"

namespace crest {

/// What a key is for. Part of the law: changing a number changes every file set or every sequence of operations.
enum class KeyUse : uint64_t {
  kSlots = 1,          // which files of a directory are accessed
  kAccessedSizes = 2,  // order of the accessed files' sizes in a block
  kOtherSizes = 3,     // order of the other files' sizes in a block
  kOperations = 4,
  kCreated = 5,  // numbers of created files
  kArrivals = 6,
  kContent = 7,
  kLayout = 8,  // identity of a file set
  kInitialFile = 9,
};

/// One more number onto a key: ExtendKey(MixKey(a, b), c) is MixKey(a, b, c).
constexpr uint64_t ExtendKey(uint64_t key, uint64_t number) { return Mix64(key + 0x9e3779b97f4a7c15u + number); }
static_assert(ExtendKey(MixKey(1, 2), 3) == MixKey(1, 2, 3));

template <typename... Numbers>
constexpr uint64_t KeyFor(KeyUse use, uint64_t seed, Numbers... numbers) {
  return MixKey(seed, static_cast<uint64_t>(use), numbers...);
}

}  // namespace crest

#endif  // CREST_WORKLOADS_KEY_H_
