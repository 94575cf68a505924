// The file set: one numbered sequence of files, each wholly determined by (seed, number).
#ifndef CREST_WORKLOADS_FILE_SET_H_
#define CREST_WORKLOADS_FILE_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "crest/v1/spec.pb.h"
#include "workloads/object.h"

namespace crest {

/// How many of each object a requested rate calls for. Whole directories, so the numbers hang on the rate alone.
struct FileSetCounts {
  uint64_t directories = 0;
  uint64_t files = 0;  // for I/O: directories × files_per_directory
  uint64_t non_io_files = 0;
  uint64_t symlinks = 0;
};

/// The layout of a workload's file set. Immutable after Create; thread-safe.
///
/// Sizes are stratified: every block of kBlockDirectories directories holds the size distribution exactly, in an order
/// drawn from (seed, block), so that a block's mean is the distribution's. Within a directory, the accessed files are a
/// drawn subset whose count is the same for every directory (±1 where the share does not divide): the accessed set
/// hangs on the seed alone, and slices of equal size see equal load.
class FileSet {
 public:
  static constexpr uint64_t kBlockDirectories = 64;   // and the least number of directories a file set has
  static constexpr uint64_t kGroupDirectories = 512;  // directories in one group

  /// `workload` whole and validated (ValidateWorkload).
  static absl::StatusOr<FileSet> Create(const v1::Workload& workload, uint64_t seed);

  FileSetCounts CountsAt(double requested_ops_per_s) const;

  /// Nominal size in bytes of a file for I/O.
  uint64_t FileSize(uint64_t file) const;
  /// The largest size that appends may bring a file to: floor(1.1 × nominal).
  uint64_t MaxFileSize(uint64_t file) const;
  /// Mean nominal size, bytes.
  double mean_file_size() const { return mean_file_size_; }

  uint32_t files_per_directory() const { return files_per_directory_; }
  /// Number of accessed files in `directory`.
  uint32_t AccessedCount(uint64_t directory) const;
  /// The i-th accessed file of `directory`, i < AccessedCount(directory).
  uint64_t AccessedFile(uint64_t directory, uint32_t i) const;
  bool IsAccessed(uint64_t file) const;

  /// Where an object is. `parent` of a created file is given by whoever created it.
  ObjectId ParentOf(ObjectId object) const;
  /// The object's own name, without its directories: "d00001a", "f0012ab", …
  std::string NameOf(ObjectId object) const;
  /// The root's name is the file set's identity: it differs between seeds and layouts, so that reuse cannot mistake one
  /// for another.
  const std::string& root_name() const { return root_name_; }
  /// Where a symlink points: a relative path.
  std::string LinkTarget(uint64_t symlink) const;

 private:
  // Defined by the implementation.
  double mean_file_size_ = 0;
  uint32_t files_per_directory_ = 30;
  std::string root_name_;
};

/// Which part of a file set one stream owns: the directories with number mod S = s. Non-I/O files and symlinks are
/// dealt out likewise, and shared where there are fewer of them than streams. A value. Thread-safe when const.
class FileSetSlice {
 public:
  FileSetSlice(const FileSet* files, const FileSetCounts& counts, uint32_t stream, uint32_t stream_count);

  uint64_t directory_count() const;
  uint64_t Directory(uint64_t i) const;  // i < directory_count(): the global number
  /// Accessed files of all owned directories, in a fixed order.
  uint64_t accessed_count() const;
  uint64_t AccessedFile(uint64_t i) const;  // i < accessed_count(): the global number
  uint64_t non_io_count() const;            // at least 1
  uint64_t NonIoFile(uint64_t i) const;
  uint64_t symlink_count() const;  // at least 1
  uint64_t Symlink(uint64_t i) const;
  /// Whether this stream builds the object (a shared one is built by the lowest stream that has it).
  bool Builds(ObjectId object) const;

 private:
  const FileSet* files_;
  FileSetCounts counts_;
  uint32_t stream_;
  uint32_t stream_count_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_FILE_SET_H_
