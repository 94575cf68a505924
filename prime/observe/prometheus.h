// Figures of the system under test from a Prometheus server.
#ifndef CREST_PRIME_OBSERVE_PROMETHEUS_H_
#define CREST_PRIME_OBSERVE_PROMETHEUS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "crest/v1/result.pb.h"
#include "crest/v1/spec.pb.h"

namespace crest {

struct ObserveOptions {
  absl::Duration timeout = absl::Seconds(10);  // of all queries together
  /// True ends the asking. Unset: never.
  std::function<bool()> cancelled;
};

/// Asks for each query of `spec` over the wall-clock time `start` to `end` of this host; one figure a query, in their
/// order. The server is asked for its own time first, so that its clock need not agree with this host's. Never fails as
/// a whole: a figure that could not be had carries its error. After `timeout`, or once the server cannot be
/// reached, the rest is not asked for.
std::vector<v1::ObservedFigure> ObserveWindow(const v1::ObserveSpec& spec, absl::Time start, absl::Time end,
                                              const ObserveOptions& options);

/// The same over the measured window of `point`.
std::vector<v1::ObservedFigure> ObservePoint(const v1::ObserveSpec& spec, const v1::PointData& point,
                                             const ObserveOptions& options);

/// The URL of a range query (Prometheus HTTP API v1, /api/v1/query_range): evenly spaced moments from `start` to `end`,
/// both within, a second apart or, in a window of more than 1,000 s, 1,001 of them.
std::string RangeQueryUrl(absl::string_view base, absl::string_view query, absl::Time start, absl::Time end);

/// The URL of a query for the server's own time.
std::string TimeQueryUrl(absl::string_view base);

/// Reads the body of an answer to it. The errors are those of ReadRangeAnswer.
absl::StatusOr<absl::Time> ReadTimeAnswer(const std::string& body);

struct SeriesFigures {
  double mean = 0;  // of the samples, which are evenly spaced
  double max = 0;
};

/// Reads the body of an answer. Samples that are NaN or infinite are left out. NotFound without any sample;
/// FailedPrecondition for more than one series; InvalidArgument with the server's own words for a query that it
/// refuses; DataLoss for what is no such answer.
absl::StatusOr<SeriesFigures> ReadRangeAnswer(const std::string& body);

}  // namespace crest

#endif  // CREST_PRIME_OBSERVE_PROMETHEUS_H_
