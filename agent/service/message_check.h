// Every field of what a prime sends, judged as if the prime were hostile.
#ifndef CREST_AGENT_SERVICE_MESSAGE_CHECK_H_
#define CREST_AGENT_SERVICE_MESSAGE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "crest/v1/agent.pb.h"

namespace crest {

inline constexpr uint32_t kMaxStreams = 1'000'000;
inline constexpr uint32_t kMaxAgents = 10'000;
inline constexpr int kMaxTargets = 1'024;
inline constexpr size_t kMaxTargetLength = 4'096;
inline constexpr double kMaxOpsPerSec = 1e9;
inline constexpr absl::Duration kMinLease = absl::Seconds(1);
inline constexpr absl::Duration kMaxLease = absl::Seconds(60);
inline constexpr absl::Duration kDefaultLease = absl::Seconds(5);
inline constexpr absl::Duration kMaxPhase = absl::Hours(7 * 24);  // of a warm-up, a measurement, a backlog
inline constexpr absl::Duration kMaxStartAhead = absl::Hours(1);
inline constexpr int kMaxMessageBytes = 16 << 20;

/// The lease that `open` asks for; the default when it asks for none. Call after CheckOpen.
absl::Duration LeaseOf(const v1::OpenSession& open);

/// A google.protobuf.Duration that CheckX has accepted.
absl::Duration ToDuration(const google::protobuf::Duration& duration);

/// FailedPrecondition, with both versions and what to do, when prime speaks another protocol; InvalidArgument for a
/// field out of its bounds. What the workload means and whether targets exist is for LoadSession::Open to say.
absl::Status CheckOpen(const v1::OpenSession& open);

/// InvalidArgument names the field.
absl::Status CheckPrepare(const v1::Prepare& prepare);

/// `last_point`: of the session so far, 0 at first. Points come in ascending order. InvalidArgument names the field.
absl::Status CheckStartPoint(const v1::StartPoint& start, uint32_t last_point, MonoTime now);

/// InvalidArgument names the field.
absl::Status CheckAdjustPoint(const v1::AdjustPoint& adjust);

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_MESSAGE_CHECK_H_
