// google.protobuf.Duration as Abseil's.
#ifndef CREST_PRIME_SPEC_DURATIONS_H_
#define CREST_PRIME_SPEC_DURATIONS_H_

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"

namespace crest {

inline absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

/// Rounded towards zero to whole nanoseconds.
inline google::protobuf::Duration ToProto(absl::Duration duration) {
  google::protobuf::Duration proto;
  absl::Duration rest;
  proto.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  proto.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  return proto;
}

}  // namespace crest

#endif  // CREST_PRIME_SPEC_DURATIONS_H_
