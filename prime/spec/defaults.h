// What a spec leaves unsaid.
#ifndef CREST_PRIME_SPEC_DEFAULTS_H_
#define CREST_PRIME_SPEC_DEFAULTS_H_

#include "absl/strings/string_view.h"
#include "crest/v1/spec.pb.h"

namespace crest {

/// Fills in the defaults that docs/spec.md states; what is set stays. Without a name, the spec gets that of the file
/// `source`, without folder and ending.
void FillDefaults(absl::string_view source, v1::RunSpec& spec);
void FillWorkloadDefaults(v1::Workload& workload);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_DEFAULTS_H_
