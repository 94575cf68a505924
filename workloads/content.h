// What is written into files: bytes that neither compress nor repeat, made fast enough not to be the limit.
#ifndef CREST_WORKLOADS_CONTENT_H_
#define CREST_WORKLOADS_CONTENT_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "workloads/object.h"

namespace crest {

/// Fills buffers from a pool of random bytes, each 4 KiB block (of the file) combined with a number that differs for
/// every (seed, object, block, generation), so that neither whole blocks nor parts of them are found alike by a server
/// that removes duplicates. Any part of a block can be had by itself. Thread-safe.
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
