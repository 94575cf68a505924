// The session of an observer: no load, only what its host is doing.
#ifndef CREST_AGENT_LOAD_OBSERVER_SESSION_H_
#define CREST_AGENT_LOAD_OBSERVER_SESSION_H_

#include <memory>

#include "agent/load/load_session.h"

namespace crest {

/// Samples this host once a second during every load point, warm-up too, and reports intervals that hold a HostLoad and
/// nothing else. Needs no target and no file set; Prepare does nothing.
std::unique_ptr<LoadSession> MakeObserverSession();

}  // namespace crest

#endif  // CREST_AGENT_LOAD_OBSERVER_SESSION_H_
