// One GET by HTTP, bounded in time and size.
#ifndef CREST_PRIME_OBSERVE_HTTP_GET_H_
#define CREST_PRIME_OBSERVE_HTTP_GET_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace crest {

struct HttpAnswer {
  int code = 0;  // 200, 404, …
  std::string body;
};

struct HttpGetOptions {
  absl::Duration timeout = absl::Seconds(10);  // of the whole exchange
  size_t max_bytes = size_t{8} << 20;          // of the body
  /// Asked about once a second; true ends the exchange with Cancelled. Unset: never.
  std::function<bool()> cancelled;
};

/// InvalidArgument, with what to do, unless `url` is a whole http or https URL without user, query and fragment.
absl::Status CheckHttpUrl(const std::string& url);

/// The answer to GET `url`, whatever its code. Follows no redirects; a login that the server asks for is taken from
/// ~/.netrc; the proxy is that of $http_proxy and its kin. DeadlineExceeded, Unavailable, ResourceExhausted for a body
/// that is too large, Cancelled.
absl::StatusOr<HttpAnswer> HttpGet(const std::string& url, const HttpGetOptions& options);

/// `text` as it may stand within a URL's query.
std::string UrlEncode(absl::string_view text);

}  // namespace crest

#endif  // CREST_PRIME_OBSERVE_HTTP_GET_H_
