#include <bit>
#include <numeric>

#include "workloads/file_set.h"

namespace crest {
namespace {

// Numbers below `count` that are ≡ s mod S.
uint64_t OwnedBelow(uint64_t count, uint32_t s, uint32_t S) { return count > s ? (count - s - 1) / S + 1 : 0; }

// Place of the set bit with `rank` set bits below it.
uint32_t SelectBit(uint64_t word, uint64_t rank) {
  for (; rank > 0; --rank) word &= word - 1;
  return static_cast<uint32_t>(std::countr_zero(word));
}

}  // namespace

FileSetSlice::FileSetSlice(const FileSet* files, const FileSetCounts& counts, uint32_t stream, uint32_t stream_count)
    : files_(files),
      counts_(counts),
      stream_(stream),
      stream_count_(stream_count),
      directory_count_(OwnedBelow(counts.directories, stream, stream_count)),
      common_(files->AccessedCount(0)),  // Bresenham's first step is never the greater one
      period_(static_cast<uint32_t>(FileSet::kBlockDirectories /
                                    std::gcd(FileSet::kBlockDirectories, uint64_t{stream_count}))) {
  for (uint32_t i = 0; i < period_; ++i) {
    if (files_->AccessedCount(Directory(i)) > common_) one_more_ |= uint64_t{1} << i;
  }
  const uint64_t rest = directory_count_ % period_;
  accessed_count_ = directory_count_ * common_ +
                    directory_count_ / period_ * static_cast<uint64_t>(std::popcount(one_more_)) +
                    static_cast<uint64_t>(std::popcount(one_more_ & ((uint64_t{1} << rest) - 1)));
}

uint64_t FileSetSlice::directory_count() const { return directory_count_; }
uint64_t FileSetSlice::Directory(uint64_t i) const { return stream_ + i * stream_count_; }

uint64_t FileSetSlice::accessed_count() const { return accessed_count_; }

FileSetSlice::Place FileSetSlice::AccessedPlace(uint64_t i) const {
  if (i < directory_count_ * common_) return {Directory(i / common_), static_cast<uint32_t>(i % common_)};
  const uint64_t extra = i - directory_count_ * common_;
  const auto per_period = static_cast<uint64_t>(std::popcount(one_more_));
  return {Directory(extra / per_period * period_ + SelectBit(one_more_, extra % per_period)), common_};
}

uint64_t FileSetSlice::AccessedFile(uint64_t i) const {
  const Place place = AccessedPlace(i);
  return files_->AccessedFile(place.directory, place.index);
}

uint64_t FileSetSlice::non_io_count() const {
  return counts_.non_io_files > stream_ ? OwnedBelow(counts_.non_io_files, stream_, stream_count_) : 1;
}

uint64_t FileSetSlice::NonIoFile(uint64_t i) const { return (stream_ + i * stream_count_) % counts_.non_io_files; }

uint64_t FileSetSlice::symlink_count() const {
  return counts_.symlinks > stream_ ? OwnedBelow(counts_.symlinks, stream_, stream_count_) : 1;
}

uint64_t FileSetSlice::Symlink(uint64_t i) const { return (stream_ + i * stream_count_) % counts_.symlinks; }

bool FileSetSlice::Builds(ObjectId object) const {
  switch (object.kind()) {
    case ObjectKind::kDirectory:
    case ObjectKind::kFile:
    case ObjectKind::kNonIoFile:
    case ObjectKind::kSymlink:
      break;
    default:
      return true;
  }
  const uint64_t number =
      object.kind() == ObjectKind::kFile ? object.number() / files_->files_per_directory() : object.number();
  return number % stream_count_ == stream_;
}

}  // namespace crest
