// A run on disk: runs/<time>-<name>/, written as it happens so that nothing measured is lost.
#ifndef CREST_RESULTS_RUN_STORE_H_
#define CREST_RESULTS_RUN_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// The format of the run folders that this crest writes and reads: RunHeader.format_version.
inline constexpr uint32_t kRunFormatVersion = 1;

/// One run's folder while it is written. Every file is written beside itself, synced and renamed, so a reader never
/// sees half of one. Not thread-safe.
class RunWriter {
 public:
  /// Makes `<out>/<UTC time>-<name>/`, never one that exists; characters of `name` that do not belong into a file name
  /// become '_'. The folder's name is the run's id.
  static absl::StatusOr<RunWriter> Create(absl::string_view out, absl::string_view name, absl::Time started_at);

  const std::string& run_id() const { return run_id_; }
  const std::string& folder() const { return folder_; }

  absl::Status WriteHeader(const v1::RunHeader& header);  // header.pb
  absl::Status WritePoint(const v1::PointData& point);    // points/NN.pb
  /// result.json, result.pb, curve.csv, latency/*.hgrm, report.html, and the index beside the runs.
  absl::Status WriteResult(const v1::RunHeader& header, const std::vector<v1::PointData>& points,
                           const v1::RunResult& result);

 private:
  RunWriter(std::string folder, std::string run_id);
  std::string folder_;
  std::string run_id_;
};

/// What is left of a run, finished or not. DataLoss names the file that is damaged or not what its name says.
struct StoredRun {
  v1::RunHeader header;
  std::vector<v1::PointData> points;  // in the order run
};
absl::StatusOr<StoredRun> ReadRun(absl::string_view folder);

/// proto3 JSON as crest writes it: snake_case names, defaults of points included, two spaces of indent.
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message);

/// curve.csv: docs/result-columns.md describes the columns. A missing figure is an empty field.
std::string CurveCsv(const v1::RunResult& result);
/// HdrHistogram's percentile format, values in ms.
std::string HgrmText(const v1::Histogram& histogram);

}  // namespace crest

#endif  // CREST_RESULTS_RUN_STORE_H_
