// The file set: one numbered sequence of files, each wholly determined by (seed, number).
#ifndef CREST_WORKLOADS_FILE_SET_H_
#define CREST_WORKLOADS_FILE_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "crest/v1/spec.pb.h"
#include "workloads/drawn_orders.h"
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
/// Sizes are stratified: every block of kBlockDirectories directories holds the size distribution exactly (largest
/// remainders), in an order drawn from (seed, block), so that a block's mean is the distribution's; so do the block's
/// accessed files by themselves. Within a directory, the accessed files are a drawn subset whose count is the same for
/// every directory (±1 where the share does not divide): the accessed set hangs on the seed alone, and slices of equal
/// size see equal load. Nothing hangs on how many files there are: growing appends.
class FileSet {
 public:
  static constexpr uint64_t kBlockDirectories = 64;   // and the least number of directories a file set has
  static constexpr uint64_t kGroupDirectories = 512;  // directories in one group

  /// `workload` whole and validated; of it, only name and file_set matter here. InvalidArgument tells what
  /// ValidateFileSet finds.
  static absl::StatusOr<FileSet> Create(const v1::Workload& workload, uint64_t seed);

  /// Never less with a greater rate; at least kBlockDirectories directories, at most 2^40.
  FileSetCounts CountsAt(double requested_ops_per_s) const;

  /// Nominal size in bytes of a file for I/O.
  uint64_t FileSize(uint64_t file) const;
  /// The largest size that appends may bring a file to: floor(1.1 × nominal).
  uint64_t MaxFileSize(uint64_t file) const;
  /// Mean nominal size over a block, bytes.
  double mean_file_size() const { return mean_file_size_; }

  uint32_t files_per_directory() const { return files_per_directory_; }
  /// Number of accessed files in `directory`.
  uint32_t AccessedCount(uint64_t directory) const;
  /// The i-th accessed file of `directory`, i < AccessedCount(directory).
  uint64_t AccessedFile(uint64_t directory, uint32_t i) const;
  /// FileSize of that file, in a fraction of the time.
  uint64_t AccessedFileSize(uint64_t directory, uint32_t i) const;
  bool IsAccessed(uint64_t file) const;

  /// The directory an object is in. A non-I/O file lives beside the file for I/O with number ×
  /// io_files_per_non_io_file, a symlink likewise. A created file has no place of its own (whoever creates it gives
  /// one): the root is returned, as it is for the root itself.
  ObjectId ParentOf(ObjectId object) const;
  /// The object's own name, without its directories: "d00001a", "f0012ab", …; root_name() for the root.
  std::string NameOf(ObjectId object) const;
  /// The root's name is the file set's identity: it differs between seeds and layouts, so that reuse cannot mistake one
  /// for another.
  const std::string& root_name() const { return root_name_; }
  /// Where a symlink points: the name of a file for I/O in its own directory.
  std::string LinkTarget(uint64_t symlink) const;

 private:
  FileSet(const v1::FileSetSpec& spec, uint64_t seed);

  uint64_t BlockAccessedBefore(uint64_t directory) const;  // accessed files of the block in directories before this one
  uint64_t OtherFileSize(uint64_t directory, uint32_t slot) const;
  uint32_t SlotOf(uint64_t file) const;  // place in its directory's drawn order: the first ones are accessed

  double bytes_per_op_rate_;
  double mean_file_size_ = 0;
  uint32_t files_per_directory_;
  uint32_t io_files_per_non_io_file_;
  uint32_t io_files_per_symlink_;
  uint32_t block_accessed_;      // accessed files in a block, at least one a directory
  std::vector<uint64_t> sizes_;  // distinct nominal sizes, rising
  DrawnOrders slots_;            // of a directory's files
  DrawnOrders accessed_sizes_;   // indices in sizes_, of a block's accessed files
  DrawnOrders other_sizes_;      // and of its others
  std::string root_name_;
};

/// Which part of a file set one stream owns: the directories with number mod S = s. Non-I/O files and symlinks are
/// dealt out likewise by their own numbers (so they may live in another stream's directory), and shared where there are
/// fewer of them than streams. `counts` has at least S directories (ValidateStreams). A value; thread-safe when const.
class FileSetSlice {
 public:
  FileSetSlice(const FileSet* files, const FileSetCounts& counts, uint32_t stream, uint32_t stream_count);

  uint64_t directory_count() const;
  uint64_t Directory(uint64_t i) const;  // i < directory_count(): the global number
  /// Accessed files of all owned directories, in a fixed order.
  uint64_t accessed_count() const;
  uint64_t AccessedFile(uint64_t i) const;  // i < accessed_count(): the global number
  /// AccessedFile's directory and its index there, for FileSet::AccessedFile and AccessedFileSize.
  struct Place {
    uint64_t directory = 0;
    uint32_t index = 0;
  };
  Place AccessedPlace(uint64_t i) const;
  uint64_t non_io_count() const;  // at least 1
  uint64_t NonIoFile(uint64_t i) const;
  uint64_t symlink_count() const;  // at least 1
  uint64_t Symlink(uint64_t i) const;
  /// Whether this stream builds the object: the directories, non-I/O files and symlinks with number mod S = s (so a
  /// shared one is built by the lowest stream that has it), and its directories' files. Root, groups and marker are
  /// everybody's.
  bool Builds(ObjectId object) const;

 private:
  const FileSet* files_;
  FileSetCounts counts_;
  uint32_t stream_;
  uint32_t stream_count_;
  uint64_t directory_count_;
  uint64_t accessed_count_;
  // Every directory has at least common_ accessed files, which come first in the order; which of the owned directories
  // have one more repeats after period_ ≤ 64 of them, so one word holds it.
  uint32_t common_;
  uint32_t period_;
  uint64_t one_more_ = 0;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_FILE_SET_H_
