// WHAT: the operations of one stream.
#ifndef CREST_WORKLOADS_OPERATION_STREAM_H_
#define CREST_WORKLOADS_OPERATION_STREAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "crest/v1/spec.pb.h"
#include "workloads/file_set.h"
#include "workloads/operation.h"

namespace crest {

/// A workload compiled for drawing: alias tables of mix and sizes. Immutable; thread-safe; shared by all streams.
class WorkloadModel {
 public:
  /// `workload` whole and validated.
  static absl::StatusOr<std::unique_ptr<const WorkloadModel>> Create(const v1::Workload& workload, uint64_t seed);
  ~WorkloadModel();

  const FileSet& files() const;
  const v1::Workload& workload() const;
  uint64_t seed() const;
  /// Longest READ or WRITE that can be drawn, bytes: how large an engine's buffers must be.
  uint32_t max_length() const;

 private:
  friend class OperationStream;
  struct Tables;
  explicit WorkloadModel(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

/// The operations of (seed, stream, point), in order; the n-th is the same on every run and every agent. Allocates only
/// in its constructor. Not thread-safe.
///
/// Every sequence is a legal one: CREATE and REMOVE take turns within their joint share, so a REMOVE always names a
/// file whose CREATE came before it in this stream; a file is read only where prepare wrote it; an append that would
/// pass FileSet::MaxFileSize starts again at the nominal end.
class OperationStream {
 public:
  OperationStream(const WorkloadModel* model, const FileSetCounts& counts, uint32_t stream, uint32_t stream_count,
                  uint32_t point);

  /// The next operation. Never fails.
  Operation Next();
  /// Files created and not removed after the operations drawn so far: what clean-up has to remove. Objects with
  /// parents, as REMOVE operations.
  std::vector<Operation> Leftovers() const;

 private:
  const WorkloadModel* model_;
  FileSetSlice slice_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_OPERATION_STREAM_H_
