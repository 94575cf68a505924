// A small workload for tests and benchmarks of the load.
#ifndef CREST_AGENT_LOAD_TEST_WORKLOAD_H_
#define CREST_AGENT_LOAD_TEST_WORKLOAD_H_

#include "crest/v1/spec.pb.h"

namespace crest {

/// GETATTR alone at even gaps over files of 16 KiB; `outstanding` 0: no bound.
inline v1::Workload GetattrWorkload(uint32_t outstanding) {
  v1::Workload workload;
  workload.set_name("getattr");
  v1::OperationShare& share = *workload.add_mix();
  share.set_operation(v1::OPERATION_GETATTR);
  share.set_share(1);
  v1::FileSetSpec& files = *workload.mutable_file_set();
  files.set_bytes_per_op_rate(1 << 10);
  files.set_accessed(0.3);
  files.set_files_per_directory(30);
  files.set_io_files_per_non_io_file(50);
  files.set_io_files_per_symlink(2000);
  files.set_selection(v1::SELECTION_UNIFORM);
  v1::SizeShare& size = *files.add_file_size();
  size.set_size(16 << 10);
  size.set_share(1);
  workload.set_transfer_size(32 << 10);
  workload.set_write_stability(v1::WRITE_STABILITY_FILE_SYNC);
  workload.set_arrivals(v1::ARRIVALS_UNIFORM);
  workload.set_response_time(v1::RESPONSE_TIME_DUE);
  if (outstanding > 0) workload.set_outstanding(outstanding);
  return workload;
}

}  // namespace crest

#endif  // CREST_AGENT_LOAD_TEST_WORKLOAD_H_
