#include "prime/spec/defaults.h"

#include <string>

#include "absl/time/time.h"
#include "prime/spec/durations.h"

namespace crest {
namespace {

constexpr uint32_t kFormatVersion = 1;

std::string NameOfFile(absl::string_view source) {
  if (const size_t slash = source.rfind('/'); slash != absl::string_view::npos) source.remove_prefix(slash + 1);
  const size_t dot = source.rfind('.');
  if (dot != absl::string_view::npos && dot > 0) source = source.substr(0, dot);
  return source.empty() || source == "-" ? "crest" : std::string(source);
}

void FillLoad(v1::LoadSpec& load) {
  if (load.plan() == v1::LOAD_PLAN_UNSPECIFIED) {
    load.set_plan(load.rates().empty() || load.has_peak() ? v1::LOAD_PLAN_CURVE : v1::LOAD_PLAN_STEPS);
  }
  if (load.plan() == v1::LOAD_PLAN_CURVE && load.points() == 0) load.set_points(10);
  if (!load.has_warmup()) *load.mutable_warmup() = ToProto(absl::Seconds(300));
  if (!load.has_measure()) *load.mutable_measure() = ToProto(absl::Seconds(300));
  if (!load.has_max_backlog()) *load.mutable_max_backlog() = ToProto(absl::Seconds(30));
}

}  // namespace

void FillWorkloadDefaults(v1::Workload& workload) {
  if (workload.name().empty()) workload.set_name(workload.profile().empty() ? "custom" : workload.profile());
  if (!workload.has_append()) workload.set_append(0);
  if (!workload.has_transfer_size()) workload.set_transfer_size(32768);
  if (workload.write_stability() == v1::WRITE_STABILITY_UNSPECIFIED) {
    workload.set_write_stability(v1::WRITE_STABILITY_FILE_SYNC);
  }
  if (workload.arrivals() == v1::ARRIVALS_UNSPECIFIED) workload.set_arrivals(v1::ARRIVALS_UNIFORM);
  if (workload.response_time() == v1::RESPONSE_TIME_UNSPECIFIED) workload.set_response_time(v1::RESPONSE_TIME_DUE);
  v1::FileSetSpec& files = *workload.mutable_file_set();
  if (!files.has_accessed()) files.set_accessed(1);
  if (!files.has_files_per_directory()) files.set_files_per_directory(30);
  if (!files.has_io_files_per_non_io_file()) files.set_io_files_per_non_io_file(50);
  if (!files.has_io_files_per_symlink()) files.set_io_files_per_symlink(2000);
  if (files.selection() == v1::SELECTION_UNSPECIFIED) files.set_selection(v1::SELECTION_UNIFORM);
}

void FillDefaults(absl::string_view source, v1::RunSpec& spec) {
  spec.set_format_version(kFormatVersion);
  if (spec.name().empty()) spec.set_name(NameOfFile(source));
  if (spec.seed() == 0) spec.set_seed(1);
  FillLoad(*spec.mutable_load());
  FillWorkloadDefaults(*spec.mutable_workload());
  if (!spec.limit().has_mean()) {
    *spec.mutable_limit()->mutable_mean() =
        spec.workload().has_limit() ? spec.workload().limit() : ToProto(absl::Milliseconds(20));
  }
}

}  // namespace crest
