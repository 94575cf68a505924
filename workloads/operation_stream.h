// WHAT: the operations of one stream.
#ifndef CREST_WORKLOADS_OPERATION_STREAM_H_
#define CREST_WORKLOADS_OPERATION_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
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
/// Every sequence is a legal one: CREATE and REMOVE take turns within their joint share, each stream at a phase of its
/// own, so that together they are as many at any time; a REMOVE names the oldest file left that this stream created,
/// the first one InitialFile, which prepare has created; a file is read only where prepare wrote it; an append that
/// would pass FileSet::MaxFileSize starts again at the nominal end. The laws are in docs/workloads.md.
class OperationStream {
 public:
  OperationStream(const WorkloadModel* model, const FileSetCounts& counts, uint32_t stream, uint32_t stream_count,
                  uint32_t point);

  /// The CREATE that prepare has to have done for the stream's first REMOVE, before every point anew; nullopt where the
  /// mix has no REMOVE.
  static std::optional<Operation> InitialFile(const WorkloadModel& model, const FileSetCounts& counts, uint32_t stream,
                                              uint32_t stream_count);

  /// The next operation. Never fails.
  Operation Next();
  /// Files that CREATEs made and no REMOVE took after the operations drawn so far: what clean-up has to remove. Objects
  /// with parents, as REMOVE operations.
  std::vector<Operation> Leftovers() const;
  /// Distinct files that the operations drawn so far read or write, and the sum of their nominal sizes.
  uint64_t touched_files() const { return touched_files_; }
  uint64_t touched_bytes() const { return touched_bytes_; }

 private:
  // One operation in the making, and where its random numbers come from.
  struct Draft;
  // An accessed file of this stream: its place, and its index among them.
  struct AccessedFile {
    uint64_t index = 0;
    FileSetSlice::Place place;
  };

  AccessedFile ChooseAccessed(Draft& draft) const;
  void Touch(uint64_t accessed_index, uint64_t size);
  void FillRead(Draft& draft);
  void FillWrite(Draft& draft);
  void FillCreateOrRemove(Draft& draft);
  Operation Created(v1::OperationKind kind, uint64_t k) const;

  const WorkloadModel::Tables* tables_;
  FileSetSlice slice_;
  uint64_t operations_key_;
  uint64_t created_key_;
  uint32_t turn_phase_q32_;
  uint64_t first_generation_;
  Operation initial_file_;
  uint64_t index_ = 0;
  uint64_t created_ = 0;
  uint64_t removed_ = 0;
  // By accessed file: bytes that appends have put behind its nominal end. Empty where no write appends.
  std::vector<uint32_t> appended_;
  std::vector<bool> touched_;  // by accessed file
  uint64_t touched_files_ = 0;
  uint64_t touched_bytes_ = 0;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_OPERATION_STREAM_H_
