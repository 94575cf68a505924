#include "prime/spec/nearest.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace crest {
namespace {

// Words longer than any key are compared by their beginnings.
constexpr size_t kMaxLength = 64;

std::string Fold(absl::string_view word) {
  std::string folded = absl::AsciiStrToLower(word.substr(0, kMaxLength));
  std::replace(folded.begin(), folded.end(), '-', '_');
  return folded;
}

}  // namespace

size_t EditDistance(absl::string_view a, absl::string_view b) {
  const std::string from = Fold(a);
  const std::string to = Fold(b);
  std::vector<std::vector<size_t>> cost(from.size() + 1, std::vector<size_t>(to.size() + 1));
  for (size_t i = 0; i <= from.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= to.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[from.size()][to.size()];
}

const std::string* Nearest(absl::string_view word, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  size_t least = std::max<size_t>(1, std::min(word.size(), kMaxLength) / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest;
}

std::string SuggestFrom(absl::string_view word, const std::vector<std::string>& known) {
  const std::string* nearest = Nearest(word, known);
  if (nearest != nullptr) return absl::StrCat("; did you mean '", *nearest, "'?");
  return absl::StrCat("; known here: ", absl::StrJoin(known, ", "));
}

}  // namespace crest
