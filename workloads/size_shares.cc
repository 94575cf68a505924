#include "workloads/size_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "workloads/file_set.h"

namespace crest {

std::vector<SizeAndShare> SortedSizes(const google::protobuf::RepeatedPtrField<v1::SizeShare>& table) {
  std::vector<SizeAndShare> entries;
  entries.reserve(static_cast<size_t>(table.size()));
  for (const v1::SizeShare& entry : table) entries.push_back({static_cast<uint64_t>(entry.size()), entry.share()});
  std::sort(entries.begin(), entries.end(),
            [](const SizeAndShare& a, const SizeAndShare& b) { return a.size < b.size; });
  return entries;
}

std::vector<uint64_t> Apportion(absl::Span<const double> weights, uint64_t total) {
  const double scale = static_cast<double>(total) / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<uint64_t> counts(weights.size());
  std::vector<double> remainders(weights.size());
  uint64_t dealt = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double quota = weights[i] * scale;
    // A quota that is whole but for rounding stays whole.
    counts[i] = static_cast<uint64_t>(std::floor(quota + 1e-6));
    remainders[i] = quota - static_cast<double>(counts[i]);
    dealt += counts[i];
  }
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (size_t i = 0; dealt < total; ++i, ++dealt) ++counts[order[i % order.size()]];
  return counts;
}

uint32_t BlockAccessedFiles(const v1::FileSetSpec& spec) {
  const double files = static_cast<double>(FileSet::kBlockDirectories) * spec.files_per_directory();
  return static_cast<uint32_t>(
      std::clamp(std::round(spec.accessed() * files), static_cast<double>(FileSet::kBlockDirectories), files));
}

BlockSizes CountBlockSizes(const v1::FileSetSpec& spec) {
  BlockSizes block;
  std::vector<double> shares;
  for (const SizeAndShare& entry : SortedSizes(spec.file_size())) {
    block.sizes.push_back(entry.size);
    shares.push_back(entry.share);
  }
  block.all = Apportion(shares, FileSet::kBlockDirectories * spec.files_per_directory());
  const std::vector<double> counts(block.all.begin(), block.all.end());
  block.accessed = Apportion(counts, BlockAccessedFiles(spec));
  return block;
}

}  // namespace crest
