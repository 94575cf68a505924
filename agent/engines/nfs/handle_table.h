// File handles as a client caches them, packed tightly: a file set has hundreds of thousands.
#ifndef CREST_AGENT_ENGINES_NFS_HANDLE_TABLE_H_
#define CREST_AGENT_ENGINES_NFS_HANDLE_TABLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "workloads/object.h"

namespace crest::nfs {

/// An opaque handle of NFSv3, at most kMaxHandle bytes.
using HandleView = absl::Span<const char>;
inline constexpr size_t kMaxHandle = 64;  // NFS3_FHSIZE, RFC 1813 §2.4

/// Handles by object. About 80 bytes for an object whose handle has 48. Not thread-safe.
class HandleTable {
 public:
  /// Empty where there is none. Valid until the object's handle is put or erased.
  HandleView Find(ObjectId object) const;
  /// Ignores handles that are empty or longer than kMaxHandle, which no server may send.
  void Put(ObjectId object, HandleView handle);
  void Erase(ObjectId object);
  size_t size() const { return places_.size(); }
  /// Bytes of the handles' store, without the map.
  size_t store_bytes() const { return chunks_.size() * kChunkBytes; }

 private:
  // A record is a byte of length and the handle, in whole units, so that a place fits into 32 bits.
  static constexpr size_t kUnit = 8;
  static constexpr size_t kChunkBytes = size_t{1} << 18;
  static constexpr size_t kClasses = (1 + kMaxHandle + kUnit - 1) / kUnit + 1;

  static size_t UnitsOf(size_t handle_bytes) { return (1 + handle_bytes + kUnit - 1) / kUnit; }
  char* At(uint32_t place) const;
  uint32_t Allocate(size_t units);

  absl::flat_hash_map<ObjectId, uint32_t> places_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t used_in_last_ = kChunkBytes;
  std::array<std::vector<uint32_t>, kClasses> free_;  // by units
};

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_HANDLE_TABLE_H_
