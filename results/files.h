// Whole files, read and written.
#ifndef CREST_RESULTS_FILES_H_
#define CREST_RESULTS_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

/// Written beside `path`, synced and renamed, so that a reader, or a machine that lost its power, has the old file or
/// the new one and never half of one.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents);

/// NotFound where there is none.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace crest

#endif  // CREST_RESULTS_FILES_H_
