// Draws from a discrete distribution with one multiplication and one comparison.
#ifndef CREST_WORKLOADS_ALIAS_TABLE_H_
#define CREST_WORKLOADS_ALIAS_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace crest {

/// Walker's alias method, set up by Vose's algorithm ("A linear algorithm for generating random numbers with a given
/// distribution", IEEE TSE 17, 1991). Probabilities are exact to 2^-50. Immutable; thread-safe.
class AliasTable {
 public:
  /// Draws i with probability weights[i] ÷ their sum. Weights ≥ 0, at least one > 0.
  explicit AliasTable(absl::Span<const double> weights);

  /// `random`: 64 even bits. Its high part picks the column, what is left decides within it.
  uint32_t Draw(uint64_t random) const {
    const auto product = static_cast<unsigned __int128>(random) * columns_.size();
    const Column& column = columns_[static_cast<uint64_t>(product >> 64)];
    return static_cast<uint64_t>(product) < column.threshold ? column.own : column.alias;
  }

 private:
  struct Column {
    uint64_t threshold;  // of 2^64
    uint32_t own;
    uint32_t alias;
  };
  std::vector<Column> columns_;
};

}  // namespace crest

#endif  // CREST_WORKLOADS_ALIAS_TABLE_H_
