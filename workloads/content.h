// What is written into files: bytes that neither compress nor repeat, made fast enough not to be the limit.
#ifndef CREST_WORKLOADS_CONTENT_H_
#define CREST_WORKLOADS_CONTENT_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "workloads/object.h"

namespace crest {

/// Fills buffers from a pool of random bytes and stamps each 4 KiB block (of the file) with a number that differs for
/// every (seed, object, block, generation), so that no deduplicating server finds two alike. Thread-safe.
class Content {
 public:
  explicit Content(uint64_t seed);
  /// `offset` is the place in the file, bytes. Allocates nothing.
  void Fill(ObjectId object, uint64_t offset, uint64_t generation, absl::Span<char> buffer) const;

 private:
  uint64_t seed_;
  std::unique_ptr<char[]> pool_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_CONTENT_H_
