// The word that was probably meant.
#ifndef CREST_PRIME_SPEC_NEAREST_H_
#define CREST_PRIME_SPEC_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace crest {

/// Least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment), without regard to case and with '-' as '_'.
size_t EditDistance(absl::string_view a, absl::string_view b);

/// The one of `known` that is near enough to be meant (a third of the word may differ, at least one letter); nullptr:
/// none is.
const std::string* Nearest(absl::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'peak'?" where one of `known` is near enough, otherwise "; known here: a, b, c".
std::string SuggestFrom(absl::string_view word, const std::vector<std::string>& known);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_NEAREST_H_
