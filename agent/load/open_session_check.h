// Checks what a prime sends before anything hangs on it, as if its sender were hostile.
#ifndef CREST_AGENT_LOAD_OPEN_SESSION_CHECK_H_
#define CREST_AGENT_LOAD_OPEN_SESSION_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "agent/engine/engine.h"
#include "base/clock.h"
#include "crest/v1/agent.pb.h"

namespace crest {

/// Everything of `open` that load hangs on: targets, workload, streams, this agent's place among the agents.
absl::Status CheckOpenSession(const v1::OpenSession& open);

/// That `type` can do every operation of the mix; the message names those it cannot.
absl::Status CheckOperations(const v1::Workload& workload, const EngineType& type);

/// The rate, and that every one of the run's streams owns a directory at it.
absl::Status CheckPrepare(const v1::Prepare& prepare, const v1::Workload& workload, uint32_t stream_count,
                          uint32_t agent_count);

/// Rates, durations and a start time that is not out of reach.
absl::Status CheckStartPoint(const v1::StartPoint& start, MonoTime now);

/// ns; `duration` has been checked.
int64_t ToNs(const google::protobuf::Duration& duration);

}  // namespace crest

#endif  // CREST_AGENT_LOAD_OPEN_SESSION_CHECK_H_
