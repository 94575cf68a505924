#include "base/random.h"

#include <bit>
#include <initializer_list>

namespace crest {

double Random::NegativeLog(double x) {
  // x = m · 2^e with m in [√½, √2); ln m = 2 atanh(t), t = (m−1)/(m+1), |t| ≤ 0.1716, as an odd series in t. The first
  // term left out is 2·t^21/21 < 1e-17.
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double t = (m - 1.0) / (m + 1.0);
  const double t2 = t * t;
  double series = 2.0 / 19;
  for (const double term : {2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0}) {
    series = series * t2 + term;
  }
  return -(static_cast<double>(exponent) * 0.69314718055994531 + t * series);
}

}  // namespace crest
