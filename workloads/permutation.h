// Orders drawn from a key without a table: place x of n numbers in constant memory, forwards and backwards.
#ifndef CREST_WORKLOADS_PERMUTATION_H_
#define CREST_WORKLOADS_PERMUTATION_H_

#include <bit>
#include <cstdint>

namespace crest {

/// Permutations of [0, n), one for each key: a Feistel network on the next power of two, with cycle walking (Black and
/// Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). Its round function is multiply-shift hashing. For
/// fair sampling, not for secrets. A value; thread-safe.
class Permutation {
 public:
  /// 1 ≤ n ≤ 2^40.
  constexpr explicit Permutation(uint64_t n)
      : n_(n),
        right_bits_(n < 4 ? 1 : static_cast<uint32_t>(std::bit_width(n - 1) + 1) / 2),
        left_bits_(n < 4 ? 1 : static_cast<uint32_t>(std::bit_width(n - 1)) / 2) {}

  constexpr uint64_t n() const { return n_; }

  /// Where x < n goes.
  constexpr uint64_t Forward(uint64_t key, uint64_t x) const {
    if (n_ == 1) return 0;
    do x = Encrypt(key, x);
    while (x >= n_);
    return x;
  }
  /// What came to y < n.
  constexpr uint64_t Inverse(uint64_t key, uint64_t y) const {
    if (n_ == 1) return 0;
    do y = Decrypt(key, y);
    while (y >= n_);
    return y;
  }

 private:
  static constexpr int kRounds = 6;  // three for each half

  static constexpr uint64_t Hash(uint64_t key, int round, uint64_t x, uint32_t bits) {
    const uint64_t factor = std::rotl(key, 11 * round) | 1;
    const uint64_t offset = std::rotl(key, 11 * round + 31);
    return (x * factor + offset) >> 24 & ((uint64_t{1} << bits) - 1);
  }
  constexpr uint64_t Encrypt(uint64_t key, uint64_t x) const {
    uint64_t left = x >> right_bits_;
    uint64_t right = x & ((uint64_t{1} << right_bits_) - 1);
    for (int round = 0; round < kRounds; round += 2) {
      left ^= Hash(key, round, right, left_bits_);
      right ^= Hash(key, round + 1, left, right_bits_);
    }
    return left << right_bits_ | right;
  }
  constexpr uint64_t Decrypt(uint64_t key, uint64_t y) const {
    uint64_t left = y >> right_bits_;
    uint64_t right = y & ((uint64_t{1} << right_bits_) - 1);
    for (int round = kRounds - 2; round >= 0; round -= 2) {
      right ^= Hash(key, round + 1, left, right_bits_);
      left ^= Hash(key, round, right, left_bits_);
    }
    return left << right_bits_ | right;
  }

  uint64_t n_;
  uint32_t right_bits_;
  uint32_t left_bits_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_PERMUTATION_H_
