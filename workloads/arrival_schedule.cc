#include "workloads/arrival_schedule.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "workloads/key.h"

namespace crest {
namespace {

using Fixed = unsigned __int128;

constexpr double kLeastRate = 1e-6;                // one in eleven days
constexpr double kGreatestRate = 1e9;              // one a nanosecond
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;  // frac(φ) · 2^64

// 10^9 · 2^32 ÷ rate, rounded: by whole numbers, since a double's 53 bits would leave an error that grows with every
// arrival.
Fixed Interval(double rate_per_s) {
  int exponent = 0;
  const double fraction = std::frexp(rate_per_s, &exponent);  // in [½, 1)
  Fixed numerator = Fixed{1'000'000'000} << 32;               // below 2^62
  auto denominator = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = 53 - exponent;  // rate = denominator · 2^-shift; at least 53 − 30, at most 53 + 19
  const int spare = std::max(0, shift - 65);
  denominator >>= spare;  // of a rate below 1/4096: its interval is above an hour, and 46 bits of it are enough
  numerator <<= shift - spare;
  return (numerator + denominator / 2) / denominator;
}

// interval · fraction ÷ 2^64.
Fixed Part(Fixed interval, uint64_t fraction) {
  const Fixed high = (interval >> 64) * fraction;
  const Fixed low = static_cast<Fixed>(static_cast<uint64_t>(interval)) * fraction >> 64;
  return high + low;
}

// interval · frac(stream · φ).
Fixed Phase(Fixed interval, uint32_t stream) { return Part(interval, stream * kGolden); }

}  // namespace

ArrivalSchedule::ArrivalSchedule(v1::Arrivals law, double rate_per_s, uint64_t seed, uint32_t stream, uint32_t point)
    : interval_q32_(Interval(std::clamp(rate_per_s, kLeastRate, kGreatestRate))),
      next_interval_q32_(Phase(interval_q32_, stream)),
      random_(KeyFor(KeyUse::kArrivals, seed, stream, point)),
      law_(law) {
  if (law == v1::ARRIVALS_POISSON || law == v1::ARRIVALS_JITTERED) {
    Advance();
  } else {
    due_q32_ = next_interval_q32_;
  }
}

void ArrivalSchedule::Advance() {
  if (law_ == v1::ARRIVALS_POISSON) {
    const double gap = random_.NextExponential() * static_cast<double>(interval_q32_);
    // Conversion to 128 bits is a slow library call, seldom needed.
    due_q32_ += gap < 0x1.0p63 ? static_cast<Fixed>(static_cast<int64_t>(gap)) : static_cast<Fixed>(gap);
  } else if (law_ == v1::ARRIVALS_JITTERED) {
    due_q32_ = next_interval_q32_ + Part(interval_q32_, random_.Next());
    next_interval_q32_ += interval_q32_;
  } else {
    due_q32_ += interval_q32_;
  }
}

}  // namespace crest
