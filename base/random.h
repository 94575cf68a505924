// crest's own random numbers: small, specified, the same on every machine and in every version of a library, since a
// spec's operations, file sizes and arrivals hang on nothing else.
//
// Generator: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
#ifndef CREST_BASE_RANDOM_H_
#define CREST_BASE_RANDOM_H_

#include <cstdint>

namespace crest {

/// The finaliser of SplitMix64: a bijection on 64 bits whose every output bit hangs on every input bit.
constexpr uint64_t Mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A key made of several numbers, in order: MixKey(seed, stream, point) differs from MixKey(seed, point, stream).
template <typename... Rest>
constexpr uint64_t MixKey(uint64_t first, Rest... rest) {
  uint64_t key = Mix64(first + 0x9e3779b97f4a7c15u);
  ((key = Mix64(key + 0x9e3779b97f4a7c15u + static_cast<uint64_t>(rest))), ...);
  return key;
}

/// A sequence of random numbers. A value: copy it to play it again. Not thread-safe.
class Random {
 public:
  constexpr explicit Random(uint64_t key) : state_(key) {}

  constexpr uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    return Mix64(state_);
  }

  /// Evenly in [0, 1), 53 bits.
  constexpr double NextUnit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  /// Evenly in [0, n), n > 0. Multiplication instead of modulo; its bias is below n / 2^64.
  constexpr uint64_t Below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64);
  }

  /// Exponential with mean 1.
  double NextExponential() { return NegativeLog(1.0 - NextUnit()); }

  /// −ln x for 0 < x ≤ 1, from IEEE arithmetic alone (no libm), so that it is the same everywhere; relative error
  /// below 1e-14.
  static double NegativeLog(double x);

 private:
  uint64_t state_;
};

}  // namespace crest

#endif  // CREST_BASE_RANDOM_H_
