#include "base/printable.h"

#include <algorithm>
#include <cstdint>

namespace crest {
namespace {

// Bytes of the UTF-8 character at the front of `text` and its code point; 0 bytes where there is none (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF).
size_t DecodeUtf8(absl::string_view text, uint32_t* code_point) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) {
    *code_point = byte(0);
    return 1;
  }
  const size_t length = byte(0) >= 0xf0 && byte(0) < 0xf8 ? 4 : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3 : 2;
  if (byte(0) < 0xc0 || byte(0) >= 0xf8 || text.size() < length) return 0;
  uint32_t value = byte(0) & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  *code_point = value;
  return length;
}

bool IsSafe(uint32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0)) return false;        // C0, DEL, C1
  if (code_point == 0x200e || code_point == 0x200f || code_point == 0x061c) return false;  // marks of direction
  return !(code_point >= 0x2028 && code_point <= 0x202e) && !(code_point >= 0x2066 && code_point <= 0x2069);
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable;
  while (!text.empty()) {
    uint32_t code_point = 0;
    const size_t length = DecodeUtf8(text, &code_point);
    if (length > 0 && IsSafe(code_point)) {
      printable.append(text.data(), length);
    } else {
      printable += '?';
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return printable;
}

size_t CharacterCount(absl::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

}  // namespace crest
