// Shorthand for absl::Status. Debian's Abseil has no status macros or matchers.
#ifndef CREST_BASE_STATUS_H_
#define CREST_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

/// The same error with `context` and ": " before its message. OK stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace crest

#define CREST_RETURN_IF_ERROR(expression)                                                     \
  do {                                                                                        \
    if (absl::Status crest_status_ = (expression); !crest_status_.ok()) return crest_status_; \
  } while (false)

#define CREST_CONCAT_INNER_(a, b) a##b
#define CREST_CONCAT_(a, b) CREST_CONCAT_INNER_(a, b)

/// CREST_ASSIGN_OR_RETURN(auto x, Function()): x is the value, or the error is returned.
#define CREST_ASSIGN_OR_RETURN(declaration, expression) \
  CREST_ASSIGN_OR_RETURN_(CREST_CONCAT_(crest_statusor_, __LINE__), declaration, expression)
#define CREST_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                    \
  if (!result.ok()) return result.status();                      \
  declaration = *std::move(result)

#endif  // CREST_BASE_STATUS_H_
