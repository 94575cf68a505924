#include "prime/run/point_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "google/protobuf/util/time_util.h"

namespace crest {

absl::Duration WarmupFor(const v1::LoadSpec& load, uint32_t streams, double requested_ops_per_sec) {
  using google::protobuf::util::TimeUtil;
  const absl::Duration asked = absl::Nanoseconds(TimeUtil::DurationToNanoseconds(load.warmup()));
  if (requested_ops_per_sec <= 0) return asked;
  return std::max(asked, absl::Seconds(2.0 * streams / requested_ops_per_sec));
}

absl::Status CheckFileSetBound(const v1::Workload& workload, const FileSet& files, absl::Span<const double> rates) {
  if (!workload.file_set().has_max_bytes() || rates.empty()) return absl::OkStatus();
  const double most = *std::max_element(rates.begin(), rates.end());
  const double bytes = static_cast<double>(files.CountsAt(most).files) * files.mean_file_size();
  if (bytes <= workload.file_set().max_bytes()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the file set for ", FormatRate(most), " ops/s holds ", FormatBytes(bytes), ", above file_set.max_bytes of ",
      FormatBytes(workload.file_set().max_bytes()), "; raise it, or lower the rate or file_set.bytes_per_op_rate"));
}

v1::FileSetData FileSetFor(const FileSet& files, double requested_ops_per_sec, const v1::Prepared& prepared) {
  const FileSetCounts counts = files.CountsAt(requested_ops_per_sec);
  uint64_t accessed = 0;
  for (uint64_t directory = 0; directory < counts.directories; ++directory) accessed += files.AccessedCount(directory);
  v1::FileSetData data;
  data.set_files(static_cast<double>(counts.files));
  data.set_directories(static_cast<double>(counts.directories));
  data.set_files_accessed(static_cast<double>(accessed));
  data.set_bytes_total(prepared.bytes_total());
  data.set_bytes_accessed(prepared.bytes_accessed());
  return data;
}

}  // namespace crest
