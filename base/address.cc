#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr size_t kMaxExpanded = 10'000;
constexpr size_t kMaxUnixPath = 107;  // sizeof(sockaddr_un::sun_path) − 1
constexpr size_t kMaxHostName = 253;  // RFC 1035
constexpr absl::string_view kUnixPrefix = "unix:";

template <typename... Args>
absl::Status Refuse(absl::string_view text, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat("address \"", text, "\": ", args...));
}

// `host` may carry a zone ("fe80::1%eth0").
std::optional<in6_addr> ParseIpv6(absl::string_view host) {
  in6_addr address;
  const std::string without_zone(host.substr(0, host.find('%')));
  if (inet_pton(AF_INET6, without_zone.c_str(), &address) != 1) return std::nullopt;
  return address;
}

absl::StatusOr<Address> ParseUnixAddress(absl::string_view text) {
  absl::string_view path = text.substr(kUnixPrefix.size());
  if (absl::StartsWith(path, "///")) path.remove_prefix(2);
  if (!absl::StartsWith(path, "/")) return Refuse(text, "a Unix socket needs an absolute path: unix:/run/crest/agent");
  if (path.size() > kMaxUnixPath) {
    return Refuse(text, "the path of a Unix socket must not be longer than ", kMaxUnixPath, " bytes");
  }
  Address address;
  address.unix_path = std::string(path);
  return address;
}

absl::Status CheckHost(absl::string_view text, absl::string_view host, absl::string_view port) {
  if (host.empty()) return Refuse(text, "the host is missing; write name:port or [v6]:port");
  if (absl::StrContains(text, "//")) return Refuse(text, "is a URL; write it as name:port");
  if (host.size() > kMaxHostName) return Refuse(text, "the host's name is longer than ", kMaxHostName, " bytes");
  if (absl::StrContains(host, '[') || absl::StrContains(host, '{')) {
    return Refuse(text, "holds a range where one address is wanted; write name:port");
  }
  if (absl::StrContains(port, ':')) return Refuse(text, "an IPv6 address goes into brackets: [v6]:port");
  for (const char c : host) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != '_') {
      return Refuse(text, "the host's name must not hold '",
                    c >= 33 && c < 127 ? absl::StrFormat("%c", c) : absl::StrFormat("\\x%02x", c),
                    "'; write name:port, a list entry for each address");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint16_t> ParsePort(absl::string_view text, absl::string_view port) {
  uint32_t number = 0;
  const bool digits = !port.empty() && std::all_of(port.begin(), port.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  if (!digits || !absl::SimpleAtoi(port, &number) || number > std::numeric_limits<uint16_t>::max()) {
    return Refuse(text, "the port is \"", port, "\"; it must be a number from 1 to 65535");
  }
  return static_cast<uint16_t>(number);
}

// One bracket's content: "01-64" or "1,4,7-9".
absl::StatusOr<std::vector<std::string>> ExpandBracket(absl::string_view text, absl::string_view content) {
  std::vector<std::string> numbers;
  for (const absl::string_view item : absl::StrSplit(content, ',')) {
    const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(item, absl::MaxSplits('-', 1));
    const absl::string_view high_text = absl::StrContains(item, '-') ? ends.second : ends.first;
    uint32_t low = 0;
    uint32_t high = 0;
    const auto is_number = [](absl::string_view digits) {
      return !digits.empty() && digits.size() <= 9 && std::all_of(digits.begin(), digits.end(), [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c));
      });
    };
    if (!is_number(ends.first) || !is_number(high_text) || !absl::SimpleAtoi(ends.first, &low) ||
        !absl::SimpleAtoi(high_text, &high)) {
      return Refuse(text, "\"[", content, "]\" is not a range; write [01-64] or [1,4,7-9]");
    }
    if (high < low) return Refuse(text, "the range \"", item, "\" runs backwards; write ", high_text, "-", ends.first);
    if (high - low >= kMaxExpanded - std::min(kMaxExpanded, numbers.size())) {
      return Refuse(text, "stands for more than ", kMaxExpanded, " addresses");
    }
    const int width = static_cast<int>(ends.first.size());
    for (uint32_t n = low; n <= high; ++n) numbers.push_back(absl::StrFormat("%0*d", width, n));
  }
  return numbers;
}

// "client{1...10}" with brackets instead, for the message.
std::string WithBrackets(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"{", "["}, {"}", "]"}, {"...", "-"}, {"..", "-"}});
}

}  // namespace

std::string Address::ToString() const {
  if (!unix_path.empty()) return absl::StrCat(kUnixPrefix, unix_path);
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

bool Address::IsLoopback() const {
  if (!unix_path.empty() || absl::EqualsIgnoreCase(host, "localhost")) return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  const std::optional<in6_addr> v6 = ParseIpv6(host);
  if (!v6.has_value()) return false;
  if (IN6_IS_ADDR_V4MAPPED(&*v6)) return v6->s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&*v6);
}

absl::StatusOr<Address> ParseAddress(absl::string_view text, uint16_t default_port) {
  if (text.empty()) return Refuse(text, "is empty; write name:port");
  if (absl::StartsWith(text, kUnixPrefix)) return ParseUnixAddress(text);
  Address address;
  absl::string_view port;
  bool has_port = false;
  if (text[0] == '[') {
    const size_t close = text.find(']');
    if (close == absl::string_view::npos) return Refuse(text, "the closing bracket is missing: [v6]:port");
    const absl::string_view host = text.substr(1, close - 1);
    if (!ParseIpv6(host).has_value()) return Refuse(text, "\"", host, "\" is not an IPv6 address");
    const absl::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') return Refuse(text, "only :port may follow the bracket");
    has_port = !rest.empty();
    port = has_port ? rest.substr(1) : rest;
    address.host = std::string(host);
  } else {
    const size_t colon = text.find(':');
    const absl::string_view host = text.substr(0, colon);
    has_port = colon != absl::string_view::npos;
    port = has_port ? text.substr(colon + 1) : "";
    if (ParseIpv6(text).has_value()) {
      return Refuse(text, "an IPv6 address goes into brackets: [", text, "]:", default_port);
    }
    CREST_RETURN_IF_ERROR(CheckHost(text, host, port));
    address.host = std::string(host);
  }
  address.port = default_port;
  if (has_port) {
    CREST_ASSIGN_OR_RETURN(address.port, ParsePort(text, port));
  }
  return address;
}

absl::StatusOr<std::vector<std::string>> ExpandRange(absl::string_view text) {
  if (absl::StartsWith(text, kUnixPrefix)) return std::vector<std::string>{std::string(text)};
  const size_t brace = text.find('{');
  if (brace != absl::string_view::npos) {
    return Refuse(text, "ranges are written with brackets: ", WithBrackets(text));
  }
  std::vector<std::string> expanded = {""};
  size_t at = 0;
  if (absl::StartsWith(text, "[")) {
    const size_t close = text.find(']');
    if (close != absl::string_view::npos && absl::StrContains(text.substr(0, close), ':')) {
      expanded[0] = std::string(text.substr(0, close + 1));
      at = close + 1;
    }
  }
  while (at < text.size()) {
    const size_t open = std::min(text.find('[', at), text.size());
    const absl::string_view literal = text.substr(at, open - at);
    if (absl::StrContains(literal, ']')) return Refuse(text, "a \"]\" has no \"[\" before it");
    for (std::string& prefix : expanded) prefix.append(literal.data(), literal.size());
    if (open == text.size()) break;
    const size_t close = text.find(']', open);
    if (close == absl::string_view::npos) return Refuse(text, "the closing bracket of a range is missing");
    CREST_ASSIGN_OR_RETURN(const std::vector<std::string> numbers,
                           ExpandBracket(text, text.substr(open + 1, close - open - 1)));
    if (expanded.size() * numbers.size() > kMaxExpanded) {
      return Refuse(text, "stands for more than ", kMaxExpanded, " addresses");
    }
    std::vector<std::string> longer;
    longer.reserve(expanded.size() * numbers.size());
    for (const std::string& prefix : expanded) {
      for (const std::string& number : numbers) longer.push_back(prefix + number);
    }
    expanded = std::move(longer);
    at = close + 1;
  }
  return expanded;
}

}  // namespace crest
