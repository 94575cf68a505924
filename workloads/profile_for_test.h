// Reads the shipped profiles for this folder's tests, which may not see prime's reader.
#ifndef CREST_WORKLOADS_PROFILE_FOR_TEST_H_
#define CREST_WORKLOADS_PROFILE_FOR_TEST_H_

#include "absl/strings/string_view.h"
#include "crest/v1/spec.pb.h"

namespace crest {

/// The profile `name` as a Workload, by the options of spec.proto. Aborts on whatever a profile may not hold.
v1::Workload ProfileForTest(absl::string_view name);

}  // namespace crest

#endif  // CREST_WORKLOADS_PROFILE_FOR_TEST_H_
