#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr double kMaxBytes = 9007199254740992.0;  // 2^53: doubles hold every integer up to here

template <typename... Args>
absl::Status Refuse(absl::string_view text, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": ", args...));
}

bool TakeDigits(absl::string_view text, size_t* at) {
  const size_t start = *at;
  while (*at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[*at]))) ++*at;
  return *at > start;
}

// Takes a decimal number (no sign, no "inf", no hexadecimal) and the blanks after it from the front of `text`. An
// exponent counts only where digits follow.
std::optional<double> TakeNumber(absl::string_view* text) {
  size_t end = 0;
  bool digits = TakeDigits(*text, &end);
  if (end < text->size() && (*text)[end] == '.') {
    ++end;
    digits = TakeDigits(*text, &end) || digits;
  }
  if (!digits) return std::nullopt;
  if (end < text->size() && absl::ascii_tolower(static_cast<unsigned char>((*text)[end])) == 'e') {
    size_t exponent = end + 1;
    if (exponent < text->size() && ((*text)[exponent] == '+' || (*text)[exponent] == '-')) ++exponent;
    if (TakeDigits(*text, &exponent)) end = exponent;
  }
  double value = 0;
  if (!absl::SimpleAtod(text->substr(0, end), &value) || !std::isfinite(value)) return std::nullopt;
  *text = absl::StripLeadingAsciiWhitespace(text->substr(end));
  return value;
}

// `number` with its unit left in `rest`, or what is wrong with it; `example` shows how it is written.
absl::StatusOr<double> NumberBeforeUnit(absl::string_view text, absl::string_view example, absl::string_view* rest) {
  *rest = absl::StripAsciiWhitespace(text);
  if (rest->empty()) return Refuse(text, "is empty; write it like ", example);
  if (absl::StartsWith(*rest, "-")) return Refuse(text, "must not be negative; write it like ", example);
  const std::optional<double> value = TakeNumber(rest);
  if (!value.has_value()) return Refuse(text, "does not start with a number; write it like ", example);
  return *value;
}

// `value` with at most `digits` significant digits and no exponent.
std::string Significant(double value, int digits, bool keep_zeros) {
  if (value == 0 || !std::isfinite(value)) return absl::StrCat(value);
  // Rounded first, so that 999.96 with four digits is 1000 and not 1000.0.
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const double unit = std::pow(10.0, magnitude - digits + 1);
  const double rounded = std::round(value / unit) * unit;
  const int rounded_magnitude = static_cast<int>(std::floor(std::log10(std::fabs(rounded)) + 1e-9));
  const int decimals = std::clamp(digits - 1 - rounded_magnitude, 0, 12);
  std::string text = absl::StrFormat("%.*f", decimals, rounded);
  if (!keep_zeros && decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

struct BytesUnit {
  absl::string_view short_name;  // lower case
  absl::string_view name;
  double bytes;
};
constexpr BytesUnit kBytesUnits[] = {
    {"k", "KiB", 0x1p10}, {"m", "MiB", 0x1p20}, {"g", "GiB", 0x1p30}, {"t", "TiB", 0x1p40}, {"p", "PiB", 0x1p50}};

struct DurationUnit {
  absl::string_view name;
  double seconds;
};
constexpr DurationUnit kDurationUnits[] = {{"h", 3600},
                                           {"m", 60},
                                           {"min", 60},
                                           {"s", 1},
                                           {"ms", 1e-3},
                                           {"us", 1e-6},
                                           {"µs", 1e-6} /* U+00B5 */,
                                           {"μs", 1e-6} /* U+03BC */,
                                           {"ns", 1e-9}};
constexpr double kMaxSeconds = 100.0 * 366 * 86400;  // int64_t nanoseconds end at 292 years

const DurationUnit* FindDurationUnit(absl::string_view name) {
  for (const DurationUnit& unit : kDurationUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<double> ParseBytes(absl::string_view text) {
  absl::string_view rest;
  CREST_ASSIGN_OR_RETURN(const double value, NumberBeforeUnit(text, "32KiB, 120MiB or 512", &rest));
  const std::string unit = absl::AsciiStrToLower(rest);
  double factor = unit.empty() || unit == "b" ? 1 : 0;
  for (const BytesUnit& known : kBytesUnits) {
    if (unit == absl::StrCat(known.short_name, "b")) {
      const absl::string_view number =
          absl::StripAsciiWhitespace(text).substr(0, absl::StripAsciiWhitespace(text).size() - rest.size());
      return Refuse(text, "tools read \"", rest, "\" differently; write ", absl::StripAsciiWhitespace(number),
                    known.name, " for powers of 1024, or the number of bytes, ",
                    absl::StrFormat("%.0f", value * std::pow(1000.0, std::round(std::log2(known.bytes) / 10))),
                    ", for powers of 1000");
    }
    if (unit == known.short_name || unit == absl::AsciiStrToLower(known.name)) factor = known.bytes;
  }
  if (factor == 0) return Refuse(text, "unknown unit \"", rest, "\"; use B, KiB, MiB, GiB, TiB or PiB");
  const double bytes = value * factor;
  if (!(bytes <= kMaxBytes)) return Refuse(text, "is above 8 PiB, the largest size that crest handles");
  return bytes;
}

absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text) {
  absl::string_view rest;
  CREST_ASSIGN_OR_RETURN(double value, NumberBeforeUnit(text, "300s, 1m30s or 20ms", &rest));
  double seconds = rest.empty() ? value : 0;
  while (!rest.empty()) {
    size_t length = 0;
    while (length < rest.size() && !absl::ascii_isdigit(static_cast<unsigned char>(rest[length])) &&
           rest[length] != '.' && rest[length] != ' ') {
      ++length;
    }
    const DurationUnit* unit = FindDurationUnit(rest.substr(0, length));
    if (unit == nullptr) {
      return Refuse(text, "unknown unit \"", rest.substr(0, length), "\"; use h, m, s, ms, us or ns");
    }
    seconds += value * unit->seconds;
    rest = absl::StripLeadingAsciiWhitespace(rest.substr(length));
    if (rest.empty()) break;
    const std::optional<double> next = TakeNumber(&rest);
    if (!next.has_value() || rest.empty()) return Refuse(text, "each number needs a unit, as in 1m30s");
    value = *next;
  }
  if (!(seconds <= kMaxSeconds)) return Refuse(text, "is above 100 years");
  // Through whole nanoseconds: 0.02 as a double is not exactly 20 ms.
  return absl::Nanoseconds(std::llround(seconds * 1e9));
}

absl::StatusOr<double> ParsePercent(absl::string_view text) {
  absl::string_view rest;
  CREST_ASSIGN_OR_RETURN(const double value, NumberBeforeUnit(text, "70%", &rest));
  if (rest.empty()) {
    return Refuse(
        text, "needs a percent sign: write ", text, "%",
        value <= 1 ? absl::StrCat(", or ", Significant(value * 100, 6, false), "% if a ratio was meant") : "");
  }
  if (rest != "%") return Refuse(text, "unknown unit \"", rest, "\"; write it like 70%");
  if (value > 100) return Refuse(text, "is above 100%");
  return value / 100;
}

absl::StatusOr<double> ParseRate(absl::string_view text) {
  absl::string_view rest;
  CREST_ASSIGN_OR_RETURN(double rate, NumberBeforeUnit(text, "5000, 12.5k or 1M", &rest));
  const absl::string_view unit = rest;
  if (absl::ConsumePrefix(&rest, "k") || absl::ConsumePrefix(&rest, "K")) {
    rate *= 1e3;
  } else if (absl::ConsumePrefix(&rest, "M")) {
    rate *= 1e6;
  } else if (absl::StartsWith(rest, "m")) {
    return Refuse(text, "\"m\" is not a unit of rates; write M for millions");
  }
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!rest.empty() && rest != "/s" && rest != "op/s" && rest != "ops/s") {
    return Refuse(text, "unknown unit \"", unit, "\"; rates are operations a second, like 5000, 12.5k or 1M ops/s");
  }
  if (!std::isfinite(rate)) return Refuse(text, "is too large");
  return rate;
}

std::string FormatBytes(double bytes) {
  double value = bytes;
  absl::string_view unit = "B";
  for (const BytesUnit& larger : kBytesUnits) {
    // 1023.5 of the smaller unit would be printed as 1024.
    if (std::fabs(value) < 1023.5) break;
    value = bytes / larger.bytes;
    unit = larger.name;
  }
  return absl::StrCat(value == std::round(value) ? absl::StrFormat("%.0f", value) : Significant(value, 4, true), " ",
                      unit);
}

std::string FormatDuration(absl::Duration d) {
  if (d == absl::InfiniteDuration()) return "forever";
  if (d < absl::ZeroDuration()) return absl::StrCat("-", crest::FormatDuration(-d));
  const double seconds = absl::ToDoubleSeconds(d);
  if (seconds >= 59.95) {
    const int64_t total = std::llround(seconds);
    const int64_t h = total / 3600, m = total / 60 % 60, s = total % 60;
    std::string text = h > 0 ? absl::StrCat(h, "h") : "";
    if (m > 0) absl::StrAppend(&text, text.empty() ? "" : " ", m, "m");
    if (s > 0 && h == 0) absl::StrAppend(&text, " ", s, "s");
    return text;
  }
  if (seconds == 0) return "0 s";
  // 999.5 of the smaller unit would be printed as 1000.
  if (seconds >= 0.9995) return absl::StrCat(Significant(seconds, 3, false), " s");
  if (seconds >= 0.9995e-3) return absl::StrCat(Significant(seconds * 1e3, 3, false), " ms");
  if (seconds >= 0.9995e-6) return absl::StrCat(Significant(seconds * 1e6, 3, false), " µs");
  return absl::StrCat(Significant(seconds * 1e9, 3, false), " ns");
}

std::string FormatRate(double per_second) {
  if (std::fabs(per_second) < 999.95) return absl::StrFormat("%.1f", per_second);
  std::string digits = absl::StrFormat("%.0f", per_second);
  for (int at = static_cast<int>(digits.size()) - 3; at > (digits[0] == '-' ? 1 : 0); at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

std::string FormatPercent(double ratio) { return absl::StrCat(Significant(ratio * 100, 3, false), " %"); }

}  // namespace crest
