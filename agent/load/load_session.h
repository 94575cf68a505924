// All the load of one session on one agent: its generators, their engines, the file set.
#ifndef CREST_AGENT_LOAD_LOAD_SESSION_H_
#define CREST_AGENT_LOAD_LOAD_SESSION_H_

#include <atomic>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "crest/v1/agent.pb.h"

namespace crest {

struct LoadOptions {
  uint32_t generators = 0;  // threads; 0: half the CPUs, at least one
};

/// One session's load, or that of an observer, which has none. Prepare and RunPoint block and are called by one thread;
/// Stop may be called by any.
class LoadSession {
 public:
  /// Checks `open` as if its sender were hostile, then connects every generator's engine. InvalidArgument, NotFound,
  /// PermissionDenied, Unavailable or DeadlineExceeded with a message that says what, where and what to do.
  static absl::StatusOr<std::unique_ptr<LoadSession>> Open(const v1::OpenSession& open, const LoadOptions& options);
  virtual ~LoadSession() = default;

  /// Builds or checks this agent's share of the file set for `request` and fetches the handles of its accessed files.
  /// `progress` is called about once a second on the calling thread. Cancelled after Stop.
  virtual absl::StatusOr<v1::Prepared> Prepare(const v1::Prepare& request,
                                               const std::function<void(const v1::PrepareProgress&)>& progress) = 0;

  /// Runs one load point from its start time to its end. `report` is called for each interval, on the calling thread,
  /// soon after the interval's end. Returns early after Stop, with `stopped` set and what was measured reported.
  virtual absl::StatusOr<v1::PointDone> RunPoint(const v1::StartPoint& start,
                                                 const std::function<void(v1::IntervalReport)>& report) = 0;

  /// Moves the edges of the window of the running load point, if it is `adjust.point`; later than asked where an edge
  /// is too near for every generator to heed it. Thread-safe; never blocks.
  virtual void Adjust(const v1::AdjustPoint& adjust) = 0;

  /// Ends the current Prepare or RunPoint: no operation is submitted after this returned. Thread-safe; never blocks
  /// long.
  virtual void Stop() = 0;

  /// Lets Prepare and RunPoint be called again after Stop.
  virtual void Resume() = 0;

  /// Removes what runs left beside the file set, then closes the engines. Bounded in time.
  virtual void Close() = 0;

  /// The lease, checked by every generator before it sends: no operation is sent after this moment of CLOCK_MONOTONIC,
  /// ns. Whoever hears the prime's beats moves it forward.
  std::atomic<int64_t>& lease_until_ns() { return lease_until_ns_; }

 private:
  std::atomic<int64_t> lease_until_ns_{INT64_MAX};
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_LOAD_SESSION_H_
