// Sizes, durations, shares and rates as people write and read them. One reading for specs, flags and reports.
#ifndef CREST_BASE_UNITS_H_
#define CREST_BASE_UNITS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace crest {

/// "4k", "4K", "4KiB", "120MiB", "1.5g", "512": bytes, powers of two. "4kB" and "4MB" are refused, since tools read
/// them differently; the message names both spellings to choose from. Negative, NaN and above 2^53 are refused.
absl::StatusOr<double> ParseBytes(absl::string_view text);

/// "300s", "1m30s", "20ms", "50us", "1h". A bare number is seconds. Negative and infinite are refused.
absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text);

/// "70%" is 0.7. A bare 0.7 is refused with a hint; so is anything below 0 % or above 100 %.
absl::StatusOr<double> ParsePercent(absl::string_view text);

/// "5000", "12.5k", "1M", optionally followed by "op/s", "ops/s" or "/s": operations a second, powers of ten.
absl::StatusOr<double> ParseRate(absl::string_view text);

/// "531.0 KiB", "120 MiB": four significant digits at most.
std::string FormatBytes(double bytes);
/// "1m 30s", "20 ms", "1.5 s": for people. Called with its namespace, since Abseil has one of the same name.
std::string FormatDuration(absl::Duration d);
/// "12,345" from 1,000 on, one decimal below.
std::string FormatRate(double per_second);
/// "26 %", "0.31 %".
std::string FormatPercent(double ratio);

}  // namespace crest

#endif  // CREST_BASE_UNITS_H_
