#include "workloads/alias_table.h"

#include <cstddef>
#include <numeric>

namespace crest {

AliasTable::AliasTable(absl::Span<const double> weights) {
  const auto size = weights.size();
  const double scale = static_cast<double>(size) / std::accumulate(weights.begin(), weights.end(), 0.0);
  columns_.resize(size);
  std::vector<double> left(size);
  std::vector<uint32_t> small;
  std::vector<uint32_t> large;
  for (uint32_t i = 0; i < size; ++i) {
    left[i] = weights[i] * scale;
    columns_[i] = {UINT64_MAX, i, i};
    (left[i] < 1.0 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const uint32_t poor = small.back();
    const uint32_t rich = large.back();
    small.pop_back();
    columns_[poor].threshold = static_cast<uint64_t>(left[poor] * 0x1.0p64);
    columns_[poor].alias = rich;
    left[rich] -= 1.0 - left[poor];
    if (left[rich] < 1.0) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // What remains has 1 but for rounding, and keeps its whole column.
}

}  // namespace crest
