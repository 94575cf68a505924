// index.sqlite: a table of the runs in a folder, for listing them quickly. Everything in it comes from the run folders.
#ifndef CREST_RESULTS_RUN_INDEX_H_
#define CREST_RESULTS_RUN_INDEX_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// Adds the run to `<out>/index.sqlite` (made where there is none), in place of what it held of that run. Several
/// processes may write at once: each waits up to 10 s for its turn.
absl::Status AddToIndex(absl::string_view out, const v1::RunResult& result);

/// Writes the index anew from the run folders in `out`. Folders without a readable result are left out.
absl::Status RebuildIndex(absl::string_view out);

}  // namespace crest

#endif  // CREST_RESULTS_RUN_INDEX_H_
