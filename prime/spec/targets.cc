#include "prime/spec/targets.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace crest {
namespace {

template <typename... Args>
absl::Status Refuse(const Args&... message) {
  return absl::InvalidArgumentError(absl::StrCat(message...));
}

// What people write who think of mount commands.
absl::Status RefuseWithoutScheme(absl::string_view text) {
  if (absl::StartsWith(text, "/dev/")) return Refuse("a URL is needed; write block://", text);
  if (absl::StartsWith(text, "//") || absl::StartsWith(text, "\\\\")) {
    return Refuse("a URL is needed; write smb:", absl::StrReplaceAll(text, {{"\\", "/"}}));
  }
  if (absl::StartsWith(text, "/")) return Refuse("a URL is needed; write file://", text);
  if (const size_t colon = text.find(":/"); colon != absl::string_view::npos) {
    return Refuse("a URL is needed; write nfs://", text.substr(0, colon), text.substr(colon + 1));
  }
  return Refuse("a URL with its scheme is needed, as in nfs://filer/export");
}

absl::Status CheckEscapes(absl::string_view text) {
  for (size_t i = text.find('%'); i != absl::string_view::npos; i = text.find('%', i + 1)) {
    if (i + 2 < text.size() && absl::ascii_isxdigit(text[i + 1]) && absl::ascii_isxdigit(text[i + 2])) continue;
    return Refuse("'", text.substr(i, 3), "' is not an escape of two hexadecimal digits; write % itself as %25");
  }
  return absl::OkStatus();
}

absl::Status CheckPort(absl::string_view port) {
  uint32_t number;
  if (absl::SimpleAtoi(port, &number) && number >= 1 && number <= 65535) return absl::OkStatus();
  return Refuse("'", port, "' is not a port; ports are 1 to 65535, and a v6 address stands in brackets");
}

// "host", "host:port", "[v6]", "[v6]:port".
absl::Status CheckAuthority(absl::string_view authority) {
  if (absl::StartsWith(authority, "[")) {
    const size_t end = authority.find(']');
    if (end == absl::string_view::npos) return Refuse("the bracket of the v6 address is not closed");
    const absl::string_view rest = authority.substr(end + 1);
    if (rest.empty()) return absl::OkStatus();
    return rest[0] == ':' ? CheckPort(rest.substr(1)) : Refuse("only a port can follow ']', as in [fe80::1]:2049");
  }
  const size_t colon = authority.find(':');
  return colon == absl::string_view::npos ? absl::OkStatus() : CheckPort(authority.substr(colon + 1));
}

}  // namespace

absl::StatusOr<std::string> TargetScheme(absl::string_view url) {
  const size_t colon = url.find(':');
  const bool is_url =
      colon != absl::string_view::npos && (absl::StartsWith(url.substr(colon), "://") || colon + 1 == url.size());
  const absl::string_view scheme = is_url ? url.substr(0, colon) : "";
  if (scheme.empty() || !absl::ascii_isalpha(scheme[0])) return RefuseWithoutScheme(url);
  for (const char c : scheme) {
    if (!absl::ascii_isalnum(c) && c != '+' && c != '-' && c != '.') return RefuseWithoutScheme(url);
  }
  return absl::AsciiStrToLower(scheme);
}

absl::Status CheckTarget(absl::string_view url) {
  for (const char c : url) {
    if (absl::ascii_iscntrl(c)) return Refuse("a URL holds no control characters; write them as %XX");
  }
  CREST_ASSIGN_OR_RETURN(const std::string scheme, TargetScheme(url));
  CREST_RETURN_IF_ERROR(CheckEscapes(url));
  absl::string_view rest = url.substr(scheme.size() + 1);
  absl::ConsumePrefix(&rest, "//");
  const absl::string_view before_query = rest.substr(0, rest.find('?'));
  const size_t slash = before_query.find('/');
  const absl::string_view authority = before_query.substr(0, slash);
  CREST_RETURN_IF_ERROR(CheckAuthority(authority));
  if (scheme == "nfs") {
    if (authority.empty() || authority[0] == ':') {
      return Refuse("the server's name is missing, as in nfs://filer/export");
    }
    if (slash == absl::string_view::npos) return Refuse("the export is missing, as in nfs://filer/export");
  }
  return absl::OkStatus();
}

}  // namespace crest
