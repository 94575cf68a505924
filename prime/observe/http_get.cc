#include "prime/observe/http_get.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "base/version.h"

namespace crest {
namespace {

using Long = long;  // NOLINT(google-runtime-int): libcurl's own

constexpr absl::Duration kConnectTimeout = absl::Seconds(3);

struct Transfer {
  const HttpGetOptions& options;
  std::string body;
  bool too_large = false;
};

size_t TakeBody(char* data, size_t, size_t size, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  transfer.too_large = transfer.body.size() + size > transfer.options.max_bytes;
  if (transfer.too_large) return 0;
  transfer.body.append(data, size);
  return size;
}

int GoOn(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const HttpGetOptions& options = static_cast<Transfer*>(user)->options;
  return options.cancelled && options.cancelled() ? 1 : 0;
}

Long Milliseconds(absl::Duration duration) {
  return static_cast<Long>(std::max<int64_t>(absl::ToInt64Milliseconds(duration), 1));
}

absl::Status Explain(CURLcode code, const Transfer& transfer, absl::string_view detail) {
  switch (code) {
    case CURLE_OK:
      return absl::OkStatus();
    case CURLE_ABORTED_BY_CALLBACK:
      return absl::CancelledError("interrupted");
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(absl::StrCat("no answer: ", detail));
    default:
      break;
  }
  if (transfer.too_large) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the answer is larger than ", FormatBytes(static_cast<double>(transfer.options.max_bytes))));
  }
  return absl::UnavailableError(detail.empty() ? curl_easy_strerror(code) : detail);
}

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK || text == nullptr) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

}  // namespace

absl::Status CheckHttpUrl(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
  if (const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME);
      code != CURLUE_OK) {
    return absl::InvalidArgumentError(
        absl::StrCat("is no URL (", curl_url_strerror(code), "); write it as in http://monitor:9090"));
  }
  const std::string scheme = Part(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return absl::InvalidArgumentError(absl::StrCat("is of scheme ", scheme, "; only http and https are spoken"));
  }
  if (!Part(parsed.get(), CURLUPART_USER).empty() || !Part(parsed.get(), CURLUPART_PASSWORD).empty()) {
    return absl::InvalidArgumentError(
        "holds a login, which would be kept in every result; put it into ~/.netrc, which is read");
  }
  if (!Part(parsed.get(), CURLUPART_QUERY).empty() || !Part(parsed.get(), CURLUPART_FRAGMENT).empty()) {
    return absl::InvalidArgumentError("has a '?' or '#' part; give the base URL alone, as in http://monitor:9090");
  }
  return absl::OkStatus();
}

absl::StatusOr<HttpAnswer> HttpGet(const std::string& url, const HttpGetOptions& options) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) return absl::InternalError("libcurl cannot be set up");
  Transfer transfer{.options = options, .body = {}};
  char detail[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NETRC, static_cast<Long>(CURL_NETRC_OPTIONAL));
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, absl::StrCat("crest/", kVersion).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, Milliseconds(options.timeout));
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(std::min(options.timeout, kConnectTimeout)));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, TakeBody);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, GoOn);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, &transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  if (absl::Status status = Explain(code, transfer, detail); !status.ok()) return status;
  Long answered = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answered);
  return HttpAnswer{.code = static_cast<int>(answered), .body = std::move(transfer.body)};
}

std::string UrlEncode(absl::string_view text) {
  const std::unique_ptr<char, decltype(&curl_free)> encoded(
      curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())), curl_free);
  return encoded == nullptr ? "" : encoded.get();
}

}  // namespace crest
