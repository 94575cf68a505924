// Tables of sizes with shares, and how many files of each size a block of directories holds.
#ifndef CREST_WORKLOADS_SIZE_SHARES_H_
#define CREST_WORKLOADS_SIZE_SHARES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "crest/v1/spec.pb.h"

namespace crest {

struct SizeAndShare {
  uint64_t size = 0;  // bytes
  double share = 0;   // of 1
};

/// The table in rising order of size. Its sizes are whole numbers (validated).
std::vector<SizeAndShare> SortedSizes(const google::protobuf::RepeatedPtrField<v1::SizeShare>& table);

/// Whole numbers in proportion to `weights` that add up to `total`: largest remainders, the lower index on a tie.
std::vector<uint64_t> Apportion(absl::Span<const double> weights, uint64_t total);

/// Files of each size in one block of FileSet::kBlockDirectories directories.
struct BlockSizes {
  std::vector<uint64_t> sizes;     // bytes, rising
  std::vector<uint64_t> all;       // number of files
  std::vector<uint64_t> accessed;  // of which are accessed
};

/// Accessed files in one block: the share, rounded, but at least one a directory.
uint32_t BlockAccessedFiles(const v1::FileSetSpec& spec);
/// `spec` valid (ValidateFileSet).
BlockSizes CountBlockSizes(const v1::FileSetSpec& spec);

/// How many bytes appends may add to a file of this nominal size: a tenth of it, rounded down.
constexpr uint64_t AppendBand(uint64_t nominal_size) { return nominal_size / 10; }

}  // namespace crest

#endif  // CREST_WORKLOADS_SIZE_SHARES_H_
