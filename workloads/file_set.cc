#include "workloads/file_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

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
// How many orders are drawn for directories and blocks to pick from, each turned by an amount of its own: 1,920
// different directories and 9,216 different blocks for sfs2008-nfs.
constexpr uint32_t kSlotOrders = 64;
constexpr uint32_t kSizeOrders = 16;

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
      block_accessed_(BlockAccessedFiles(spec)) {
  BlockSizes block = CountBlockSizes(spec);
  std::vector<uint16_t> accessed;
  std::vector<uint16_t> others;
  double bytes = 0;
  for (size_t i = 0; i < block.sizes.size(); ++i) {
    accessed.insert(accessed.end(), block.accessed[i], static_cast<uint16_t>(i));
    others.insert(others.end(), block.all[i] - block.accessed[i], static_cast<uint16_t>(i));
    bytes += static_cast<double>(block.all[i]) * static_cast<double>(block.sizes[i]);
  }
  mean_file_size_ = bytes / static_cast<double>(accessed.size() + others.size());
  sizes_ = std::move(block.sizes);

  std::vector<uint16_t> slots(files_per_directory_);
  std::iota(slots.begin(), slots.end(), uint16_t{0});
  slots_ = DrawnOrders(std::move(slots), kSlotOrders, KeyFor(KeyUse::kSlots, seed));
  accessed_sizes_ = DrawnOrders(std::move(accessed), kSizeOrders, KeyFor(KeyUse::kAccessedSizes, seed));
  other_sizes_ = DrawnOrders(std::move(others), kSizeOrders, KeyFor(KeyUse::kOtherSizes, seed));
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
  return directory * files_per_directory_ + slots_.At(directory, i);
}

uint64_t FileSet::AccessedFileSize(uint64_t directory, uint32_t i) const {
  return sizes_[accessed_sizes_.At(directory / kBlockDirectories, BlockAccessedBefore(directory) + i)];
}

uint64_t FileSet::OtherFileSize(uint64_t directory, uint32_t slot) const {
  const uint64_t others_before = directory % kBlockDirectories * files_per_directory_ - BlockAccessedBefore(directory);
  return sizes_[other_sizes_.At(directory / kBlockDirectories, others_before + slot - AccessedCount(directory))];
}

uint32_t FileSet::SlotOf(uint64_t file) const {
  return static_cast<uint32_t>(
      slots_.Find(file / files_per_directory_, static_cast<uint16_t>(file % files_per_directory_)));
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
