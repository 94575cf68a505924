// Time as crest uses it: nanoseconds of CLOCK_MONOTONIC behind a seam, so that whole runs can be played in virtual
// time.
#ifndef CREST_BASE_CLOCK_H_
#define CREST_BASE_CLOCK_H_

#include <compare>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace crest {

/// A moment on one host's monotonic clock. Only differences mean anything; never compare those of two hosts.
struct MonoTime {
  int64_t ns = 0;

  static constexpr MonoTime Max() { return {std::numeric_limits<int64_t>::max()}; }
  friend constexpr auto operator<=>(MonoTime, MonoTime) = default;
  friend constexpr int64_t operator-(MonoTime a, MonoTime b) { return a.ns - b.ns; }  // ns
  friend constexpr MonoTime operator+(MonoTime a, int64_t delta_ns) { return {a.ns + delta_ns}; }
  friend MonoTime operator+(MonoTime a, absl::Duration d) { return {a.ns + absl::ToInt64Nanoseconds(d)}; }
};

/// Where the time comes from. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoTime Now() const = 0;
  /// Returns at `t` or as soon after as the clock can; at once when `t` has passed.
  virtual void SleepUntil(MonoTime t) = 0;
};

/// CLOCK_MONOTONIC of this host.
class RealClock final : public Clock {
 public:
  MonoTime Now() const override;
  void SleepUntil(MonoTime t) override;
};

/// Stands still until told otherwise. Not thread-safe: a simulation runs on one thread.
class SimulatedClock final : public Clock {
 public:
  MonoTime Now() const override { return now_; }
  void SleepUntil(MonoTime t) override { AdvanceTo(t); }
  /// Never backwards; an earlier `t` is ignored.
  void AdvanceTo(MonoTime t) {
    if (t > now_) now_ = t;
  }

 private:
  MonoTime now_{1'000'000'000};
};

}  // namespace crest

#endif  // CREST_BASE_CLOCK_H_
