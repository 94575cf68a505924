// HOW: the seam between a generator and one kind of target.
#ifndef CREST_AGENT_ENGINE_ENGINE_H_
#define CREST_AGENT_ENGINE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/engine/target.h"
#include "base/clock.h"
#include "crest/v1/agent.pb.h"
#include "workloads/file_set.h"
#include "workloads/operation.h"

namespace crest {

/// How one operation ended: 0 is success; 1 to 15 are common to all engines; from 16 on they are the engine's own.
/// Engine::ErrorName gives the name that is counted.
using Outcome = uint16_t;
inline constexpr Outcome kOk = 0;
inline constexpr Outcome kTimedOut = 1;          // "TIMEOUT"
inline constexpr Outcome kConnectionLost = 2;    // "CONNECTION_LOST": in flight when the connection broke
inline constexpr Outcome kNotFound = 3;          // "NOT_FOUND": the object is not there
inline constexpr Outcome kAlreadyExists = 4;     // "ALREADY_EXISTS"
inline constexpr Outcome kNoSpace = 5;           // "NO_SPACE"
inline constexpr Outcome kReadOnly = 6;          // "READ_ONLY"
inline constexpr Outcome kPermissionDenied = 7;  // "PERMISSION_DENIED"
inline constexpr Outcome kShortTransfer = 8;     // "SHORT_TRANSFER": fewer bytes than asked for, and it was not the end
inline constexpr Outcome kFirstOwnOutcome = 16;

/// What became of one operation.
struct Completion {
  uint64_t token = 0;
  MonoTime sent;  // when its first call left
  MonoTime done;  // when its last answer arrived
  Outcome outcome = kOk;
  uint32_t bytes = 0;        // read or written
  uint32_t calls = 0;        // protocol calls it took
  uint32_t extra_calls = 0;  // of which were outside the mix (retries, re-lookups) — not in `calls`
  int64_t object_size = -1;  // LOOKUP, GETATTR: bytes, where the answer told it
};

/// Where completions go. Called on the generator's thread only.
class CompletionSink {
 public:
  virtual ~CompletionSink() = default;
  virtual void OnCompletion(const Completion& completion) = 0;
};

enum class SubmitResult {
  kDone,      // over already; `completion` is filled in
  kAccepted,  // a completion will come from Reap
  kBusy,      // not taken (no connection, queue full): try again after Reap; the operation keeps its due time
};

/// One generator's way to the targets. Used by one thread at a time; it never sees threads of the engine's own.
/// Submit and Reap allocate nothing, take no lock and make no needless system call where the client library allows.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Starts `operation`. Never blocks. What is submitted between two Reaps may leave in one batch: `sent` is when it
  /// left.
  virtual SubmitResult Submit(const Operation& operation, uint64_t token, Completion& completion) = 0;

  /// Sends what is unsent, delivers completions, and waits until `until` at most: it returns as soon as it has
  /// delivered any, or when the time has come. The only place where a generator waits. An `until` in the past polls.
  virtual void Reap(MonoTime until, CompletionSink& sink) = 0;

  /// When the next completion will come, if the engine itself decides that (simulation); otherwise MonoTime::Max().
  virtual MonoTime NextCompletion() const { return MonoTime::Max(); }

  /// Operations accepted and not completed.
  virtual int in_flight() const = 0;

  /// Free space on the targets, bytes, and whether they can be written to. Blocks (prepare only). Unlimited where it
  /// has no meaning.
  struct Space {
    double free_bytes = 1e300;
  };
  virtual absl::StatusOr<Space> CheckSpace() { return Space{}; }

  /// What the engine calls `outcome`; a literal that lives for ever.
  virtual absl::string_view ErrorName(Outcome outcome) const;

  /// A sentence about the last failure with this outcome, for messages of prepare: what, where, what to do.
  virtual std::string Explain(Outcome outcome) const { return std::string(ErrorName(outcome)); }

  /// Calls so far by procedure name, as a capture would count them. Names are literals.
  struct ProcedureCount {
    absl::string_view procedure;
    int64_t calls = 0;
    int64_t extra_calls = 0;
  };
  virtual std::vector<ProcedureCount> Procedures() const { return {}; }

  /// Connections made anew after a loss, so far.
  virtual int64_t reconnect_count() const { return 0; }

  /// Forgets what it keeps of an object (its handle), because it was removed or the set was rebuilt.
  virtual void Forget(ObjectId) {}
};

/// What an engine needs to open its targets. What it points to outlives the engine.
struct EngineConfig {
  std::vector<Target> targets;     // all of one scheme; directory d lives on targets[d mod size]
  const FileSet* files = nullptr;  // names and places of objects
  Clock* clock = nullptr;
  v1::WriteStability write_stability = v1::WRITE_STABILITY_FILE_SYNC;
  uint32_t transfer_size = 32768;  // largest READ or WRITE call, bytes; the engine may have to use less
  uint32_t max_length = 0;         // longest READ or WRITE operation, bytes
  uint32_t max_in_flight = 1;      // most operations that will be in flight at once
  uint64_t seed = 0;
  uint32_t generator = 0;  // number of this generator in its agent
};

/// One kind of engine. Each engine's folder hands its own to RegisterEngine.
struct EngineType {
  absl::string_view scheme;
  std::vector<v1::OperationKind> operations;  // what it can do
  bool simulated = false;
  /// Checks a target's URL without touching it: parameters, host, path.
  absl::Status (*check_target)(const Target& target) = nullptr;
  /// Connects. Blocks, bounded in time. The error says what, where, and what to do; nothing is written to the target.
  absl::StatusOr<std::unique_ptr<Engine>> (*open)(const EngineConfig& config) = nullptr;
};

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_ENGINE_H_
