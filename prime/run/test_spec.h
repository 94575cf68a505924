// A small whole spec for the tests of this folder.
#ifndef CREST_PRIME_RUN_TEST_SPEC_H_
#define CREST_PRIME_RUN_TEST_SPEC_H_

#include <string>
#include <vector>

#include "crest/v1/spec.pb.h"

namespace crest {

inline v1::Workload SmallWorkload() {
  v1::Workload workload;
  workload.set_name("small");
  v1::OperationShare& share = *workload.add_mix();
  share.set_operation(v1::OPERATION_GETATTR);
  share.set_share(1);
  v1::FileSetSpec& files = *workload.mutable_file_set();
  files.set_bytes_per_op_rate(4096);
  files.set_accessed(0.3);
  files.set_files_per_directory(30);
  files.set_io_files_per_non_io_file(50);
  files.set_io_files_per_symlink(2000);
  files.set_selection(v1::SELECTION_UNIFORM);
  v1::SizeShare& size = *files.add_file_size();
  size.set_size(4096);
  size.set_share(1);
  workload.set_transfer_size(32768);
  workload.set_arrivals(v1::ARRIVALS_UNIFORM);
  workload.set_response_time(v1::RESPONSE_TIME_DUE);
  return workload;
}

/// Steps at `rates` against `agents`; 1 s of warm-up, 3 s of measurement.
inline v1::RunSpec SmallSpec(const std::vector<double>& rates, const std::vector<std::string>& agents) {
  v1::RunSpec spec;
  spec.set_name("small");
  spec.add_target("null:");
  *spec.mutable_workload() = SmallWorkload();
  for (const std::string& agent : agents) spec.add_agents()->set_address(agent);
  v1::LoadSpec& load = *spec.mutable_load();
  load.set_plan(v1::LOAD_PLAN_STEPS);
  for (const double rate : rates) load.add_rates(rate);
  load.mutable_warmup()->set_seconds(1);
  load.mutable_measure()->set_seconds(3);
  load.mutable_max_backlog()->set_seconds(30);
  load.set_streams(64);
  spec.mutable_limit()->mutable_mean()->set_nanos(20'000'000);
  spec.set_seed(1);
  return spec;
}

}  // namespace crest

#endif  // CREST_PRIME_RUN_TEST_SPEC_H_
