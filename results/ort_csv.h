// Curves from CSV files, as `crest ort` reads them.
#ifndef CREST_RESULTS_ORT_CSV_H_
#define CREST_RESULTS_ORT_CSV_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "results/ort.h"

namespace crest {

/// The points of a CSV (RFC 4180) whose first line names the columns: `ops_per_sec` and `response_ms` in any order,
/// others are ignored. Points stay in the order of the file. Blank lines, a byte-order mark and either kind of line end
/// are accepted. InvalidArgument says what is wrong and where, as "FILE:LINE: …"; `file_name` is for that alone.
absl::StatusOr<std::vector<CurvePoint>> ParseCurveCsv(absl::string_view text, absl::string_view file_name);

}  // namespace crest

#endif  // CREST_RESULTS_ORT_CSV_H_
