// The names of everything that crest makes or touches on a target: a numbered object has one place, whoever asks.
#ifndef CREST_WORKLOADS_OBJECT_H_
#define CREST_WORKLOADS_OBJECT_H_

#include <cstdint>
#include <string>

namespace crest {

enum class ObjectKind : uint8_t {
  kRoot = 0,       // the file set's own directory below the target's
  kGroup = 1,      // a directory of directories, so that none grows without bound
  kDirectory = 2,  // holds files_per_directory files for I/O
  kFile = 3,       // for I/O
  kNonIoFile = 4,  // for SETATTR and the like; empty
  kSymlink = 5,
  kCreated = 6,  // made by CREATE during a run, named by a number unique in the run
  kMarker = 7,   // says that the directory is crest's
};

/// A kind and a number below 2^60, in one word: cheap to pass, hash and store.
struct ObjectId {
  uint64_t value = 0;

  constexpr ObjectId() = default;
  constexpr ObjectId(ObjectKind kind, uint64_t number) : value(static_cast<uint64_t>(kind) << 60 | number) {}
  constexpr ObjectKind kind() const { return static_cast<ObjectKind>(value >> 60); }
  constexpr uint64_t number() const { return value & ((uint64_t{1} << 60) - 1); }
  friend constexpr bool operator==(ObjectId, ObjectId) = default;
  template <typename H>
  friend H AbslHashValue(H h, ObjectId id) {
    return H::combine(std::move(h), id.value);
  }
};

}  // namespace crest

#endif  // CREST_WORKLOADS_OBJECT_H_
