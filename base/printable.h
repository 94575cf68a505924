// Text from elsewhere (names, paths, messages of servers) on a terminal.
#ifndef CREST_BASE_PRINTABLE_H_
#define CREST_BASE_PRINTABLE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace crest {

/// `text` with everything that could steer a terminal or deceive an eye written as '?': control characters, bytes that
/// are no UTF-8, line separators and marks that change the direction of writing.
std::string Printable(absl::string_view text);

/// Characters of UTF-8 text: its width on a terminal, but for those that are wide or combine.
size_t CharacterCount(absl::string_view text);

}  // namespace crest

#endif  // CREST_BASE_PRINTABLE_H_
