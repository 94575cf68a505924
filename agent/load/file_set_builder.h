// Brings a generator's share of the file set into being, or finds that it is there.
#ifndef CREST_AGENT_LOAD_FILE_SET_BUILDER_H_
#define CREST_AGENT_LOAD_FILE_SET_BUILDER_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/engine.h"
#include "agent/load/task.h"
#include "agent/load/task_runner.h"
#include "workloads/file_set.h"
#include "workloads/operation_stream.h"

namespace crest {

/// How far a build is. Written by generators' threads, read by the one that reports.
struct BuildProgress {
  std::atomic<bool> building{false};  // false: still checking what is there
  std::atomic<int64_t> files_checked{0};
  std::atomic<int64_t> files_created{0};
  std::atomic<int64_t> bytes_created{0};
  std::atomic<int64_t> files_reused{0};
};

/// The part of the file set that some streams own. A directory's files are created one after another, so a directory
/// whose last file is whole is whole itself: that sample decides whether it is reused. The accessed files are all
/// looked up, which checks their sizes and fetches their handles. Not thread-safe.
class FileSetBuilder {
 public:
  /// What the arguments point to outlives the builder. `write_length`: bytes a WRITE while filling.
  FileSetBuilder(const WorkloadModel* model, const FileSetCounts& counts, std::vector<uint32_t> streams,
                 uint32_t stream_count, uint32_t write_length, Engine* engine, TaskRunner* runner,
                 BuildProgress* progress);

  /// The directories with lower numbers are known to be there, whole, from an earlier Build over the same engine.
  void SkipDirectoriesBelow(uint64_t directory) { first_directory_ = directory; }

  /// Looks at what is there. Writes nothing.
  absl::Status Check();
  /// Bytes that Build will write.
  double missing_bytes() const { return missing_bytes_; }
  /// Nominal bytes of the share, and of its accessed files.
  double total_bytes() const { return total_bytes_; }
  double accessed_bytes() const { return accessed_bytes_; }

  /// Creates what Check found missing. Where that fails, what this call created is removed again.
  absl::Status Build();

 private:
  Task CheckDirectory(uint64_t directory);
  Task BuildDirectory(uint64_t directory);
  Task BuildFile(uint64_t file);
  Task EnsureRoot();
  Task EnsureDirectory(uint64_t directory);
  Task EnsureSmall(ObjectId object);
  Task Ensure(Operation create);
  Task RemoveDirectory(uint64_t directory);
  Operation Make(v1::OperationKind kind, ObjectId object) const;
  void RollBack();

  const FileSet* files_;
  FileSetCounts counts_;
  uint32_t write_length_;
  Engine* engine_;
  TaskRunner* runner_;
  BuildProgress* progress_;
  std::vector<FileSetSlice> slices_;
  std::vector<Operation> initial_files_;
  uint64_t first_directory_ = 0;
  std::vector<uint64_t> missing_;  // directories
  std::vector<uint64_t> begun_;    // directories that Build has begun to fill
  double missing_bytes_ = 0;
  double total_bytes_ = 0;
  double accessed_bytes_ = 0;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_FILE_SET_BUILDER_H_
