// Who else wants to know what a session does.
#ifndef CREST_AGENT_SERVICE_SESSION_OBSERVER_H_
#define CREST_AGENT_SERVICE_SESSION_OBSERVER_H_

#include "crest/v1/agent.pb.h"

namespace crest {

/// Told by a session's own thread, in order: Opened, then for each load point PointStarted, Intervals and PointEnded,
/// then Closed. Must not block.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void OnSessionOpened(const v1::OpenSession& open) = 0;
  virtual void OnPointStarted(const v1::StartPoint& start) = 0;
  virtual void OnInterval(const v1::IntervalReport& report) = 0;
  virtual void OnPointEnded() = 0;
  virtual void OnSessionClosed() = 0;
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_SESSION_OBSERVER_H_
