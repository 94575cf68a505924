// What follows from a spec for one load point: its warm-up and its file set. Pure.
#ifndef CREST_PRIME_RUN_POINT_PLAN_H_
#define CREST_PRIME_RUN_POINT_PLAN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "crest/v1/agent.pb.h"
#include "crest/v1/result.pb.h"
#include "crest/v1/spec.pb.h"
#include "workloads/file_set.h"

namespace crest {

/// The warm-up of the spec, or two intervals of a stream where those are longer: a stream that has not sent twice is
/// not warm.
absl::Duration WarmupFor(const v1::LoadSpec& load, uint32_t streams, double requested_ops_per_sec);

/// InvalidArgument when the file set of the greatest rate would pass `max_bytes`.
absl::Status CheckFileSetBound(const v1::Workload& workload, const FileSet& files, absl::Span<const double> rates);

/// The file set at a rate: counts from the layout, bytes from what the agents have prepared.
v1::FileSetData FileSetFor(const FileSet& files, double requested_ops_per_sec, const v1::Prepared& prepared);

}  // namespace crest

#endif  // CREST_PRIME_RUN_POINT_PLAN_H_
