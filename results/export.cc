// A result and its histograms in the formats of other programs: JSON, CSV, HdrHistogram's text.
#include <google/protobuf/util/json_util.h>

#include <charconv>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "results/histogram.h"
#include "results/observed.h"
#include "results/run_store.h"

namespace crest {
namespace {

// The shortest decimal that reads back as the same double.
std::string Shortest(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

std::string CsvText(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// Columns and fields of one point side by side, so that none can be without the other.
class CsvRow {
 public:
  void Add(absl::string_view column, std::string field) {
    absl::StrAppend(&header, header.empty() ? "" : ",", column);
    absl::StrAppend(&fields, header.size() == column.size() ? "" : ",", field);
  }
  void Add(absl::string_view column, double value) { Add(column, Shortest(value)); }
  void Add(absl::string_view column, bool has, double value) { Add(column, has ? Shortest(value) : std::string()); }

  std::string header;
  std::string fields;
};

CsvRow RowOf(const v1::LoadPoint& p, const std::vector<std::string>& observed) {
  CsvRow row;
  row.Add("index", p.index());
  row.Add("requested_ops_per_sec", p.requested_ops_per_sec());
  row.Add("achieved_ops_per_sec", p.achieved_ops_per_sec());
  row.Add("mean_response_ms", p.mean_response_ms());
  row.Add("standard_deviation_ms", p.standard_deviation_ms());
  row.Add("p50_ms", p.has_p50_ms(), p.p50_ms());
  row.Add("p95_ms", p.has_p95_ms(), p.p95_ms());
  row.Add("p99_ms", p.has_p99_ms(), p.p99_ms());
  row.Add("p999_ms", p.has_p999_ms(), p.p999_ms());
  row.Add("max_ms", p.max_ms());
  row.Add("mean_due_ms", p.mean_due_ms());
  row.Add("p99_due_ms", p.has_p99_due_ms(), p.p99_due_ms());
  row.Add("mean_service_ms", p.mean_service_ms());
  row.Add("p99_service_ms", p.has_p99_service_ms(), p.p99_service_ms());
  row.Add("mean_wait_ms", p.mean_wait_ms());
  row.Add("schedule_lag_p99_ms", p.has_schedule_lag_p99_ms(), p.schedule_lag_p99_ms());
  row.Add("operation_count", p.operation_count());
  row.Add("error_count", p.error_count());
  row.Add("call_count", p.call_count());
  row.Add("extra_call_count", p.extra_call_count());
  row.Add("dropped_count", p.dropped_count());
  row.Add("unfinished_count", p.unfinished_count());
  row.Add("reconnect_count", p.reconnect_count());
  row.Add("read_bytes_per_sec", p.read_bytes_per_sec());
  row.Add("write_bytes_per_sec", p.write_bytes_per_sec());
  row.Add("measured_seconds", p.measured_seconds());
  row.Add("valid", std::string(p.valid() ? "true" : "false"));
  row.Add("within_limit", std::string(p.within_limit() ? "true" : "false"));
  row.Add("started_at", CsvText(p.started_at()));
  row.Add("findings", CsvText(absl::StrJoin(p.findings(), " ", [](std::string* out, const v1::Finding& finding) {
            absl::StrAppend(out, finding.code());
          })));
  for (const std::string& name : observed) {
    const v1::ObservedFigure* const figure = FindObserved(p, name);
    const auto add = [&](absl::string_view what, double value) {
      row.Add(CsvText(absl::StrCat("observed_", name, "_", what)), figure != nullptr, value);
    };
    add("mean", figure == nullptr ? 0 : figure->mean());
    add("max", figure == nullptr ? 0 : figure->max());
  }
  return row;
}

// How far the next row of a percentile table lies from the one at `percentile`: five rows for each halving of what is
// left, as HdrHistogram writes them.
double PercentileStep(double percentile) {
  constexpr double kTicksPerHalfDistance = 5;
  const double half_distance = std::exp2(std::floor(std::log2(1 / (1 - percentile))) + 1);
  return 1 / (kTicksPerHalfDistance * half_distance);
}

}  // namespace

absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string narrow;
  if (const auto status = google::protobuf::util::MessageToJsonString(message, &narrow, options); !status.ok()) {
    return absl::InternalError(absl::StrCat("cannot write JSON: ", std::string(status.message())));
  }
  // One space a level becomes two. A line starts with nothing but indent, since JSON strings hold no line ends.
  std::string json;
  bool indent = true;
  for (const char c : narrow) {
    if (indent && c == ' ') json += ' ';
    indent = c == '\n' || (indent && c == ' ');
    json += c;
  }
  return json;
}

std::string CurveCsv(const v1::RunResult& result) {
  const std::vector<std::string> observed = ObservedNames(result);
  std::string csv = absl::StrCat(RowOf(v1::LoadPoint(), observed).header, "\n");
  for (const v1::LoadPoint& point : result.points()) absl::StrAppend(&csv, RowOf(point, observed).fields, "\n");
  return csv;
}

std::string HgrmText(const v1::Histogram& proto) {
  Histogram histogram;
  histogram.Merge(proto).IgnoreError();  // malformed: the text of an empty one
  std::string text =
      absl::StrFormat("%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
  const double total = static_cast<double>(histogram.count());
  double percentile = 0;
  uint64_t seen = 0;
  for (int bucket = 0; seen < histogram.count(); ++bucket) {
    if (histogram.bucket_count(bucket) == 0) continue;
    seen += histogram.bucket_count(bucket);
    const double up_to_here = static_cast<double>(seen) / total;
    const double value_ms = histogram.RawQuantileNs(up_to_here) / 1e6;
    while (percentile <= up_to_here && percentile < 1) {
      absl::StrAppendFormat(&text, "%12.6f %2.12f %10d %14.2f\n", value_ms, percentile, seen, 1 / (1 - percentile));
      percentile += PercentileStep(percentile);
      if (seen == histogram.count()) break;
    }
  }
  const double max_ms = static_cast<double>(histogram.max_ns()) / 1e6;
  if (seen > 0) absl::StrAppendFormat(&text, "%12.6f %2.12f %10d\n", max_ms, 1.0, seen);
  absl::StrAppendFormat(&text, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", histogram.mean_ns() / 1e6,
                        histogram.standard_deviation_ns() / 1e6);
  absl::StrAppendFormat(&text, "#[Max     = %12.6f, Total count    = %12d]\n", max_ms, histogram.count());
  absl::StrAppendFormat(&text, "#[Buckets = %12d, SubBuckets     = %12d]\n",
                        Histogram::kBucketCount >> Histogram::kSubBucketBits, 1 << Histogram::kSubBucketBits);
  return text;
}

}  // namespace crest
