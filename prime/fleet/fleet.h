// All agents of a run as one: their sessions, clocks, file set and load points.
#ifndef CREST_PRIME_FLEET_FLEET_H_
#define CREST_PRIME_FLEET_FLEET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "crest/v1/agent.pb.h"
#include "crest/v1/result.pb.h"
#include "prime/fleet/tls.h"
#include "results/merge.h"

namespace crest {

class FleetSessions;

/// One agent: where it is dialled and how people call it.
struct AgentEndpoint {
  std::string address;    // as ParseAddress reads it: "client1:7460", "[::1]:7460", "unix:/run/crest.sock"
  std::string name;       // in messages and results; empty: the address
  bool observer = false;  // sends no load: its host's figures alone are wanted
};

struct FleetOptions {
  TlsFiles tls;
  /// An agent that hears nothing from prime for this long stops its load; prime gives one up that says nothing for as
  /// long.
  absl::Duration lease = absl::Seconds(5);
  absl::Duration connect_timeout = absl::Seconds(10);  // to reach an agent and hear its status
  absl::Duration open_timeout = absl::Seconds(60);     // to open a session: the agent connects to its targets
  absl::Duration prepare_stall = absl::Minutes(2);     // without progress of an agent that prepares
  absl::Duration stop_timeout = absl::Seconds(2);      // for the last figures once a load point is stopped
  absl::Duration close_timeout = absl::Seconds(10);    // to clean up
  absl::Duration point_grace = absl::Seconds(60);      // for a load point's end beyond its length
  int connects_in_parallel = 64;
  int clock_probes = 16;  // of each agent, each time; that with the least round trip counts
  /// Called about once a second while an agent is waited for: "client7:7460 and 2 others: opening the session". On the
  /// thread that called the Fleet.
  std::function<void(const std::string&)> on_wait;
};

/// How an agent's clock relates to prime's.
struct ClockEstimate {
  int64_t offset_ns = 0;  // agent − prime
  int64_t bound_ns = 0;   // the true offset is within ± this: half the round trip of the best exchange
};

/// The state of all agents in one figure each.
struct FleetPrepareProgress {
  std::string phase;  // of the agent that is furthest behind
  double bytes_done = 0;
  double bytes_total = 0;
  double files_done = 0;
  double files_total = 0;
};

/// One load point as it is asked for.
struct PointRequest {
  uint32_t point = 1;
  double requested_ops_per_sec = 0;
  absl::Duration warmup;
  absl::Duration measure;
  absl::Duration max_backlog;
};

/// One load point as it came out. `data` holds what was measured even where `status` is an error.
struct PointOutcome {
  v1::PointData data;
  /// OK; Cancelled after Interrupt; Unavailable when an agent was lost; what an agent said when it failed.
  absl::Status status;
};

/// What each agent is and can do, asked in parallel. The result has the order of `agents`; an agent that cannot be
/// reached has a status that names it and says what to do. Needs no session and disturbs none.
std::vector<absl::StatusOr<v1::AgentStatus>> QueryAgents(const std::vector<AgentEndpoint>& agents,
                                                         const FleetOptions& options);

/// OK when the engines of the agent `name` can do every operation of the mix on every target. InvalidArgument names the
/// target's scheme and the operations.
absl::Status CheckCapabilities(const std::string& name, const v1::AgentStatus& status,
                               const std::vector<std::string>& targets, const v1::Workload& workload);

/// Sessions to all agents of one run. Agents that send load come first, observers after them, whatever the order given.
/// Once all sessions are open, an observer that is late, fails or is lost delays and ends nothing. One thread drives
/// it; Interrupt may be called by any. Every wait is bounded; every error names the agent, what happened and what to
/// do. Once a call has failed, only Close makes sense.
class Fleet {
 public:
  /// Asks every agent's status, compares versions and capabilities, then opens all sessions. `open` is what all agents
  /// are sent; agent_index, agent_count, protocol_version, lease are filled in. Nothing stays open after an error.
  static absl::StatusOr<std::unique_ptr<Fleet>> Connect(std::vector<AgentEndpoint> agents, const v1::OpenSession& open,
                                                        const FleetOptions& options);
  /// Does nothing yet; Interrupt() works on it during Open().
  Fleet(std::vector<AgentEndpoint> agents, const FleetOptions& options);
  /// Closes.
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  /// What Connect does to a new Fleet.
  absl::Status Open(const v1::OpenSession& open);

  size_t size() const;
  /// One an agent; observers last.
  const std::vector<v1::HostInfo>& hosts() const;
  const std::vector<ClockEstimate>& clocks() const;

  /// Estimates every agent's clock offset anew.
  absl::Status MeasureClocks();

  /// Brings the file set to what `requested_ops_per_sec` of the whole run needs; `progress` at most a few times a
  /// second. The sum over all agents.
  absl::StatusOr<v1::Prepared> Prepare(double requested_ops_per_sec,
                                       const std::function<void(const FleetPrepareProgress&)>& progress);

  /// Runs one load point on all agents from one moment on, and merges what they send. `on_interval` for each interval
  /// that all have reported. An interrupt, a lost agent or a failure of one stops the load on all.
  PointOutcome RunPoint(const PointRequest& request, const v1::FileSetData& file_set,
                        const std::function<void(const IntervalView&)>& on_interval);

  /// Ends the current and every later call with Cancelled; a load point is stopped on all agents first.
  void Interrupt();

  /// Ends the sessions: agents clean up, those that do not answer are cut off. Bounded. Only the first call does it.
  /// The error of an agent that could not clean up, if any.
  absl::Status Close();

 private:
  void StartPoint(const PointRequest& request, MonoTime start);
  /// From now to a start that every agent can hear of in time.
  absl::Duration Lead() const;

  const FleetOptions options_;
  std::unique_ptr<FleetSessions> sessions_;
  std::vector<v1::HostInfo> hosts_;
  std::vector<ClockEstimate> clocks_;
  std::vector<bool> clock_known_;  // of each agent
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_FLEET_H_
