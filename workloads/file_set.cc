#include "workloads/file_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "workloads/key.h"
#include "workloads/size_shares.h"
#include "workloads/validate.h"

namespace crest {
namespace {

// Part of the identity: raised whenever the law of places, sizes or names changes.
constexpr uint64_t kLayoutVersion = 1;
constexpr uint64_t kMaxDirectories = uint64_t{1} << 40;
constexpr size_t kMaxNameLength = 64;

uint64_t DivideRoundingUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

uint64_t LayoutHash(const v1::FileSetSpec& spec, uint64_t seed) {
  uint64_t hash = KeyFor(KeyUse::kLayout, seed, kLayoutVersion, spec.files_per_directory(),
                         spec.io_files_per_non_io_file(), spec.io_files_per_symlink());
  hash = ExtendKey(hash, std::bit_cast<uint64_t>(spec.accessed()));
  for (const SizeAndShare& entry : SortedSizes(spec.file_size())) {
    hash = ExtendKey(ExtendKey(hash, entry.size), std::bit_cast<uint64_t>(entry.share));
  }
  return hash;
}

std::string SafeName(absl::string_view name) {
  std::string safe(name.substr(0, kMaxNameLength));
  for (char& c : safe) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
  }
  return safe;
}

}  // namespace

absl::StatusOr<FileSet> FileSet::Create(const v1::Workload& workload, uint64_t seed) {
  const std::vector<FieldError> errors = ValidateFileSet(workload.file_set());
  if (!errors.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(errors.front().path, ": ", errors.front().message));
  }
  FileSet files(workload.file_set(), seed);
  files.root_name_ =
      absl::StrFormat("crest-%s-%016x", SafeName(workload.name()), LayoutHash(workload.file_set(), seed));
  return files;
}

FileSet::FileSet(const v1::FileSetSpec& spec, uint64_t seed)
    : bytes_per_op_rate_(spec.bytes_per_op_rate()),
      files_per_directory_(spec.files_per_directory()),
      io_files_per_non_io_file_(spec.io_files_per_non_io_file()),
      io_files_per_symlink_(spec.io_files_per_symlink()),
      block_accessed_(BlockAccessedFiles(spec)),
      slot_key_(KeyFor(KeyUse::kSlots, seed)),
      accessed_size_key_(KeyFor(KeyUse::kAccessedSizes, seed)),
      other_size_key_(KeyFor(KeyUse::kOtherSizes, seed)),
      slots_(files_per_directory_),
      accessed_ranks_(block_accessed_),
      other_ranks_(std::max<uint64_t>(1, kBlockDirectories * files_per_directory_ - block_accessed_)) {
  const BlockSizes block = CountBlockSizes(spec);
  const uint64_t block_files = kBlockDirectories * files_per_directory_;
  size_of_rank_.reserve(block_files);
  double bytes = 0;
  for (size_t i = 0; i < block.sizes.size(); ++i) {
    size_of_rank_.insert(size_of_rank_.end(), block.accessed[i], static_cast<uint16_t>(i));
    bytes += static_cast<double>(block.all[i]) * static_cast<double>(block.sizes[i]);
  }
  for (size_t i = 0; i < block.sizes.size(); ++i) {
    size_of_rank_.insert(size_of_rank_.end(), block.all[i] - block.accessed[i], static_cast<uint16_t>(i));
  }
  sizes_ = block.sizes;
  mean_file_size_ = bytes / static_cast<double>(block_files);
}

FileSetCounts FileSet::CountsAt(double requested_ops_per_s) const {
  const double directories =
      std::ceil(bytes_per_op_rate_ * requested_ops_per_s / (mean_file_size_ * files_per_directory_));
  FileSetCounts counts;
  counts.directories = kBlockDirectories;
  if (directories > static_cast<double>(kBlockDirectories)) {  // false for NaN
    counts.directories =
        directories < static_cast<double>(kMaxDirectories) ? static_cast<uint64_t>(directories) : kMaxDirectories;
  }
  counts.files = counts.directories * files_per_directory_;
  counts.non_io_files = DivideRoundingUp(counts.files, io_files_per_non_io_file_);
  counts.symlinks = DivideRoundingUp(counts.files, io_files_per_symlink_);
  return counts;
}

uint64_t FileSet::BlockAccessedBefore(uint64_t directory) const {
  return directory % kBlockDirectories * block_accessed_ / kBlockDirectories;
}

uint32_t FileSet::AccessedCount(uint64_t directory) const {
  const uint64_t place = directory % kBlockDirectories;
  return static_cast<uint32_t>((place + 1) * block_accessed_ / kBlockDirectories -
                               place * block_accessed_ / kBlockDirectories);
}

uint64_t FileSet::AccessedFile(uint64_t directory, uint32_t i) const {
  return directory * files_per_directory_ + slots_.Forward(ExtendKey(slot_key_, directory), i);
}

uint64_t FileSet::AccessedFileSize(uint64_t directory, uint32_t i) const {
  const uint64_t key = ExtendKey(accessed_size_key_, directory / kBlockDirectories);
  return sizes_[size_of_rank_[accessed_ranks_.Forward(key, BlockAccessedBefore(directory) + i)]];
}

uint64_t FileSet::OtherFileSize(uint64_t directory, uint32_t slot) const {
  const uint64_t key = ExtendKey(other_size_key_, directory / kBlockDirectories);
  const uint64_t place = directory % kBlockDirectories;
  const uint64_t others_before = place * files_per_directory_ - BlockAccessedBefore(directory);
  const uint64_t rank = other_ranks_.Forward(key, others_before + slot - AccessedCount(directory));
  return sizes_[size_of_rank_[block_accessed_ + rank]];
}

uint32_t FileSet::SlotOf(uint64_t file) const {
  const uint64_t directory = file / files_per_directory_;
  return static_cast<uint32_t>(slots_.Inverse(ExtendKey(slot_key_, directory), file % files_per_directory_));
}

bool FileSet::IsAccessed(uint64_t file) const { return SlotOf(file) < AccessedCount(file / files_per_directory_); }

uint64_t FileSet::FileSize(uint64_t file) const {
  const uint64_t directory = file / files_per_directory_;
  const uint32_t slot = SlotOf(file);
  return slot < AccessedCount(directory) ? AccessedFileSize(directory, slot) : OtherFileSize(directory, slot);
}

uint64_t FileSet::MaxFileSize(uint64_t file) const {
  const uint64_t size = FileSize(file);
  return size + AppendBand(size);
}

ObjectId FileSet::ParentOf(ObjectId object) const {
  const uint64_t number = object.number();
  switch (object.kind()) {
    case ObjectKind::kDirectory:
      return {ObjectKind::kGroup, number / kGroupDirectories};
    case ObjectKind::kFile:
      return {ObjectKind::kDirectory, number / files_per_directory_};
    case ObjectKind::kNonIoFile:
      return {ObjectKind::kDirectory, number * io_files_per_non_io_file_ / files_per_directory_};
    case ObjectKind::kSymlink:
      return {ObjectKind::kDirectory, number * io_files_per_symlink_ / files_per_directory_};
    case ObjectKind::kRoot:
    case ObjectKind::kGroup:
    case ObjectKind::kMarker:
    case ObjectKind::kCreated:
      break;
  }
  return {ObjectKind::kRoot, 0};
}

std::string FileSet::NameOf(ObjectId object) const {
  const uint64_t number = object.number();
  switch (object.kind()) {
    case ObjectKind::kRoot:
      return root_name_;
    case ObjectKind::kGroup:
      return absl::StrFormat("g%04x", number);
    case ObjectKind::kDirectory:
      return absl::StrFormat("d%06x", number);
    case ObjectKind::kFile:
      return absl::StrFormat("f%06x", number);
    case ObjectKind::kNonIoFile:
      return absl::StrFormat("n%06x", number);
    case ObjectKind::kSymlink:
      return absl::StrFormat("l%06x", number);
    case ObjectKind::kCreated:
      return absl::StrFormat("c%015x", number);
    case ObjectKind::kMarker:
      return ".crest";
  }
  return absl::StrFormat("x%016x", object.value);
}

std::string FileSet::LinkTarget(uint64_t symlink) const {
  return NameOf({ObjectKind::kFile, symlink * io_files_per_symlink_});
}

}  // namespace crest
