#include "prime/observe/prometheus.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "prime/observe/http_get.h"

namespace crest {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr int64_t kMaxSteps = 1000;  // Prometheus gives at most 11,000 samples a series
constexpr size_t kMaxErrorBytes = 300;

const Value* Field(const Struct& object, const char* name) {
  const auto it = object.fields().find(name);
  return it == object.fields().end() ? nullptr : &it->second;
}

std::string Text(const Struct& object, const char* name) {
  const Value* const value = Field(object, name);
  return value == nullptr ? "" : value->string_value();
}

absl::Status NoAnswer(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the answer is none of Prometheus (", why, "); see observe.prometheus"));
}

// The value "result" of an answer that is a success of that type.
absl::StatusOr<google::protobuf::ListValue> ReadAnswer(const std::string& body, absl::string_view type) {
  Struct answer;
  if (!google::protobuf::util::JsonStringToMessage(body, &answer).ok()) return NoAnswer("it is no JSON");
  const std::string status = Text(answer, "status");
  if (status == "error") {
    return absl::InvalidArgumentError(absl::StrCat("refused: ", Text(answer, "error"), " (", Text(answer, "errorType"),
                                                   "); try the query in the server's own web page"));
  }
  if (status != "success") return NoAnswer("no status in it");
  const Value* const data = Field(answer, "data");
  if (data == nullptr || !data->has_struct_value()) return NoAnswer("no data in it");
  const Value* const result = Field(data->struct_value(), "result");
  if (Text(data->struct_value(), "resultType") != type || result == nullptr || !result->has_list_value()) {
    return NoAnswer(absl::StrCat("no ", type, " in it"));
  }
  return result->list_value();
}

// Of [time, "1.5"].
absl::StatusOr<double> SampleOf(const google::protobuf::ListValue& pair) {
  double sample = 0;
  if (pair.values_size() != 2 || !absl::SimpleAtod(pair.values(1).string_value(), &sample)) {
    return NoAnswer("a sample is no number");
  }
  return sample;
}

absl::StatusOr<SeriesFigures> Summarise(const Struct& series) {
  SeriesFigures figures;
  double sum = 0;
  int count = 0;
  const Value* const values = Field(series, "values");
  const Value none;
  for (const Value& pair : (values == nullptr ? none : *values).list_value().values()) {
    CREST_ASSIGN_OR_RETURN(const double sample, SampleOf(pair.list_value()));
    if (!std::isfinite(sample)) continue;
    figures.max = count == 0 ? sample : std::max(figures.max, sample);
    sum += sample;
    ++count;
  }
  if (count == 0) return absl::NotFoundError("only NaN in the window; does the query divide by what did not happen?");
  figures.mean = sum / count;
  return figures;
}

// What `read` makes of the answer to a query.
template <typename Figure>
absl::StatusOr<Figure> Ask(const std::string& url, const HttpGetOptions& options,
                           absl::StatusOr<Figure> (*read)(const std::string& body)) {
  CREST_ASSIGN_OR_RETURN(const HttpAnswer answer, HttpGet(url, options));
  if (answer.code == 401 || answer.code == 403) {
    return absl::PermissionDeniedError(
        absl::StrCat("the server wants a login (HTTP ", answer.code, "); put it into ~/.netrc"));
  }
  absl::StatusOr<Figure> figure = read(answer.body);
  // Refused queries come with a code of 400 and up, and a body that says more.
  if (answer.code != 200 && (figure.ok() || absl::IsDataLoss(figure.status()))) {
    return absl::UnavailableError(absl::StrCat("the server answered HTTP ", answer.code, "; see observe.prometheus"));
  }
  return figure;
}

// How far the server's clock is ahead of this host's.
absl::StatusOr<absl::Duration> ClockSkew(const std::string& base, const HttpGetOptions& options) {
  const absl::Time before = absl::Now();
  CREST_ASSIGN_OR_RETURN(const absl::Time there, Ask(TimeQueryUrl(base), options, ReadTimeAnswer));
  return there - (before + (absl::Now() - before) / 2);
}

bool CannotBeReached(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

std::string Shortened(absl::string_view text) {
  if (text.size() <= kMaxErrorBytes) return std::string(text);
  size_t end = kMaxErrorBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return absl::StrCat(text.substr(0, end), "…");
}

}  // namespace

std::string RangeQueryUrl(absl::string_view base, absl::string_view query, absl::Time start, absl::Time end) {
  const int64_t length_ms = std::max<int64_t>(absl::ToInt64Milliseconds(end - start), 1);
  const int64_t steps = std::clamp<int64_t>((length_ms + 999) / 1000, 1, kMaxSteps);
  const int64_t step_ms = std::max<int64_t>(length_ms / steps, 1);
  const int64_t start_ms = absl::ToUnixMillis(start);
  const int64_t end_ms = start_ms + steps * step_ms;
  const auto seconds = [](int64_t ms) { return absl::StrFormat("%d.%03d", ms / 1000, ms % 1000); };
  return absl::StrCat(absl::StripSuffix(base, "/"), "/api/v1/query_range?query=", UrlEncode(query),
                      "&start=", seconds(start_ms), "&end=", seconds(end_ms), "&step=", seconds(step_ms));
}

std::string TimeQueryUrl(absl::string_view base) {
  return absl::StrCat(absl::StripSuffix(base, "/"), "/api/v1/query?query=time%28%29");
}

absl::StatusOr<absl::Time> ReadTimeAnswer(const std::string& body) {
  CREST_ASSIGN_OR_RETURN(const google::protobuf::ListValue pair, ReadAnswer(body, "scalar"));
  CREST_ASSIGN_OR_RETURN(const double seconds, SampleOf(pair));
  if (!std::isfinite(seconds)) return NoAnswer("its time is none");
  return absl::FromUnixMicros(static_cast<int64_t>(std::clamp(seconds, -1e10, 1e10) * 1e6));
}

absl::StatusOr<SeriesFigures> ReadRangeAnswer(const std::string& body) {
  CREST_ASSIGN_OR_RETURN(const google::protobuf::ListValue series, ReadAnswer(body, "matrix"));
  if (series.values_size() == 0) {
    return absl::NotFoundError("no data in the window; see whether the server scrapes what the query names");
  }
  if (series.values_size() > 1) {
    return absl::FailedPreconditionError(absl::StrCat("gives ", series.values_size(),
                                                      " series where one figure is wanted; reduce them, as in "
                                                      "sum(…), max(…) or by a label in braces"));
  }
  return Summarise(series.values(0).struct_value());
}

std::vector<v1::ObservedFigure> ObserveWindow(const v1::ObserveSpec& spec, absl::Time start, absl::Time end,
                                              const ObserveOptions& options) {
  const absl::Time deadline = absl::Now() + options.timeout;
  const auto time_left = [&] {
    return HttpGetOptions{.timeout = std::max(deadline - absl::Now(), absl::Milliseconds(1)),
                          .cancelled = options.cancelled};
  };
  std::vector<v1::ObservedFigure> figures;
  const absl::StatusOr<absl::Duration> skew = ClockSkew(spec.prometheus(), time_left());
  absl::Status unreachable = skew.status();
  for (const v1::ObserveQuery& query : spec.queries()) {
    v1::ObservedFigure& figure = figures.emplace_back();
    figure.set_name(query.name());
    if (!unreachable.ok()) {
      figure.set_error(Shortened(unreachable.message()));
      continue;
    }
    const absl::StatusOr<SeriesFigures> found =
        Ask(RangeQueryUrl(spec.prometheus(), query.query(), start + *skew, end + *skew), time_left(), ReadRangeAnswer);
    if (found.ok()) {
      figure.set_mean(found->mean);
      figure.set_max(found->max);
    } else {
      figure.set_error(Shortened(found.status().message()));
      if (CannotBeReached(found.status())) unreachable = found.status();
    }
  }
  return figures;
}

std::vector<v1::ObservedFigure> ObservePoint(const v1::ObserveSpec& spec, const v1::PointData& point,
                                             const ObserveOptions& options) {
  absl::Time started = absl::InfinitePast();
  absl::ParseTime(absl::RFC3339_full, point.started_at(), &started, nullptr);
  const absl::Time start = started + absl::Nanoseconds(point.warmup_ns());
  return ObserveWindow(spec, start, start + absl::Nanoseconds(point.measured_ns()), options);
}

}  // namespace crest
