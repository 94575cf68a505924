#include "agent/engine/parameters.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace crest {
namespace {

// Levenshtein's distance: insertions, deletions and replacements of a letter, without regard to case.
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(a[i - 1])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

absl::Status CheckParameterNames(const Target& target, std::initializer_list<absl::string_view> known) {
  for (const auto& [name, value] : target.parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string shown = name.substr(0, 64);
    const auto nearest = std::min_element(known.begin(), known.end(), [&](absl::string_view a, absl::string_view b) {
      return Distance(shown, a) < Distance(shown, b);
    });
    const bool near = nearest != known.end() && Distance(shown, *nearest) <= std::max<size_t>(1, nearest->size() / 3);
    const std::string hint =
        near ? absl::StrCat("did you mean ", *nearest, "?") : absl::StrCat("known are ", absl::StrJoin(known, ", "));
    return absl::InvalidArgumentError(
        absl::StrCat("target ", target.url, ": unknown parameter \"", shown, "\"; ", hint));
  }
  return absl::OkStatus();
}

}  // namespace crest
