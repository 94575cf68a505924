#include "agent/engine/target.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/address.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr size_t kMaxUrlLength = 8192;
constexpr size_t kMaxShownLength = 200;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// What was written, fit for a line of a terminal or a log.
std::string Shown(absl::string_view url) {
  std::string shown(url.substr(0, kMaxShownLength));
  for (char& c : shown) {
    if (IsControl(c)) c = '?';
  }
  if (url.size() > kMaxShownLength) shown += "…";
  return shown;
}

template <typename... Args>
absl::Status Refuse(absl::string_view url, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat("target \"", Shown(url), "\": ", args...));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

absl::StatusOr<std::string> Decode(absl::string_view url, absl::string_view part, absl::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Refuse(url, "in the ", part,
                      ", % must be followed by two hexadecimal digits; a percent sign itself is %25");
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (IsControl(c)) return Refuse(url, "the ", part, " holds a control character");
    decoded += c;
  }
  return decoded;
}

absl::Status CheckScheme(absl::string_view url, size_t colon) {
  constexpr absl::string_view kHow = "write scheme://host/path, as in nfs://filer/export";
  if (url.empty()) return Refuse(url, "is empty; ", kHow);
  if (colon == absl::string_view::npos || colon == 0) return Refuse(url, "the scheme is missing; ", kHow);
  const absl::string_view scheme = url.substr(0, colon);
  const absl::string_view rest = url.substr(colon + 1);
  if (!rest.empty() && !absl::StartsWith(rest, "//")) {
    if (rest[0] == '/') {
      return Refuse(url, "\"//\" must follow the scheme; did you mean nfs://", Shown(scheme), Shown(rest), "?");
    }
    return Refuse(url, "\"//\" must follow the scheme; ", kHow);
  }
  for (const char c : scheme) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("+-.", c)) {
      return Refuse(url, "the scheme may hold letters, digits, '+', '-' and '.' only; ", kHow);
    }
  }
  if (!absl::ascii_isalpha(static_cast<unsigned char>(scheme[0]))) {
    return Refuse(url, "the scheme must begin with a letter; ", kHow);
  }
  return absl::OkStatus();
}

absl::Status ParseAuthority(absl::string_view authority, Target& target) {
  if (authority.empty()) return absl::OkStatus();
  if (absl::StrContains(authority, '@')) return Refuse(target.url, "a user name has no place in the URL");
  absl::StatusOr<Address> address = ParseAddress(authority, 0);
  if (!address.ok()) return Refuse(target.url, address.status().message());
  if (!address->unix_path.empty()) return Refuse(target.url, "the host cannot be a Unix socket");
  const size_t colon = authority.rfind(':');
  const size_t bracket = authority.rfind(']');
  const bool has_port = colon != absl::string_view::npos && (bracket == absl::string_view::npos || colon > bracket);
  if (has_port && address->port == 0) return Refuse(target.url, "the port must be a number from 1 to 65535");
  target.host = std::move(address->host);
  target.port = address->port;
  return absl::OkStatus();
}

absl::Status ParsePath(absl::string_view path, Target& target) {
  if (path.empty()) return absl::OkStatus();
  CREST_ASSIGN_OR_RETURN(target.path, Decode(target.url, "path", path));
  for (const absl::string_view component : absl::StrSplit(target.path, '/')) {
    if (component == "." || component == "..") {
      return Refuse(target.url, "the path must not hold \"", component, "\"; write it in full");
    }
  }
  while (target.path.size() > 1 && target.path.back() == '/') target.path.pop_back();
  return absl::OkStatus();
}

absl::Status ParseParameters(absl::string_view query, Target& target) {
  for (const absl::string_view item : absl::StrSplit(query, '&')) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.first.size() == item.size()) {
      return Refuse(target.url, "parameter \"", Shown(item), "\" must be written key=value");
    }
    for (const char c : parts.first) {
      if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') {
        return Refuse(target.url, "a parameter's name may hold letters, digits, '_' and '-' only: \"",
                      Shown(parts.first), "\"");
      }
    }
    CREST_ASSIGN_OR_RETURN(std::string value,
                           Decode(target.url, absl::StrCat("parameter ", parts.first), parts.second));
    if (!target.parameters.emplace(std::string(parts.first), std::move(value)).second) {
      return Refuse(target.url, "parameter ", parts.first, " is given twice");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Target> ParseTarget(absl::string_view url) {
  if (url.size() > kMaxUrlLength) return Refuse(url, "is longer than ", kMaxUrlLength, " bytes");
  const size_t colon = url.find(':');
  CREST_RETURN_IF_ERROR(CheckScheme(url, colon));
  Target target;
  target.url = std::string(url);
  target.scheme = absl::AsciiStrToLower(url.substr(0, colon));
  absl::string_view rest = url.substr(colon + 1);
  if (rest.empty()) return target;
  rest.remove_prefix(2);

  const size_t question = rest.find('?');
  const absl::string_view place = rest.substr(0, question);
  const size_t slash = place.find('/');
  CREST_RETURN_IF_ERROR(ParseAuthority(place.substr(0, slash), target));
  if (slash != absl::string_view::npos) CREST_RETURN_IF_ERROR(ParsePath(place.substr(slash), target));
  if (question != absl::string_view::npos) {
    CREST_RETURN_IF_ERROR(ParseParameters(rest.substr(question + 1), target));
  }
  return target;
}

}  // namespace crest
