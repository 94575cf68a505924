// Engine `nfs`: NFSv3 over TCP by libnfs's raw procedures, so that crest sends and counts each call itself.
#ifndef CREST_AGENT_ENGINES_NFS_NFS_ENGINE_H_
#define CREST_AGENT_ENGINES_NFS_NFS_ENGINE_H_

#include <poll.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "agent/engine/engine.h"
#include "agent/engines/nfs/calls.h"
#include "agent/engines/nfs/connection.h"
#include "agent/engines/nfs/handle_table.h"
#include "agent/engines/nfs/mount.h"
#include "agent/engines/nfs/nfs_target.h"
#include "workloads/content.h"

namespace crest::nfs {

/// An operation is a slot that sends calls until it has nothing left to send and none in flight: LOOKUPs on the way to
/// its handle, where that is not cached, then its own call, or several for a long READ or WRITE. Answers only change
/// slots; calls are sent outside libnfs's callbacks.
///
/// Objects that are not below a numbered directory (root, groups, marker) exist on every target: operations on them are
/// performed on all, one after the other.
class NfsEngine final : public Engine, public CallListener {
 public:
  /// `targets` and `mounted` belong together.
  static absl::StatusOr<std::unique_ptr<NfsEngine>> Open(const EngineConfig& config, std::vector<NfsTarget> targets,
                                                         std::vector<Mounted> mounted);
  ~NfsEngine() override;

  SubmitResult Submit(const Operation& operation, uint64_t token, Completion& completion) override;
  void Reap(MonoTime until, CompletionSink& sink) override;
  int in_flight() const override { return in_flight_; }
  absl::StatusOr<Space> CheckSpace() override;
  absl::string_view ErrorName(Outcome outcome) const override;
  std::string Explain(Outcome outcome) const override;
  std::vector<ProcedureCount> Procedures() const override;
  int64_t reconnect_count() const override;
  void Forget(ObjectId object) override;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint16_t kMaxCallsInFlight = 2;

  // A part of a READ or WRITE, or the whole of another operation, that is to be sent (again).
  struct Part {
    uint32_t offset = 0;
    uint32_t count = 0;
    bool extra = false;     // a repetition
    bool repeated = false;  // after NFS3ERR_STALE: not a second time
  };

  struct Slot {
    Operation operation;
    uint64_t token = 0;
    uint32_t serial = 0;  // of its operation; moves when that is over, so that late answers find nobody
    MonoTime sent;
    MonoTime done;
    MonoTime deadline;
    uint32_t previous = kNone;  // of those with the same first target, by deadline
    uint32_t next = kNone;
    uint32_t first_target = 0;
    uint32_t target = 0;
    uint32_t calls = 0;
    uint32_t extra_calls = 0;
    uint32_t bytes = 0;
    int64_t size = -1;
    Outcome outcome = kOk;
    uint32_t next_offset = 0;                   // READ, WRITE: what has been sent at least once
    std::array<Part, kMaxCallsInFlight> again;  // what is to be repeated or continued
    uint8_t again_count = 0;
    uint8_t path_retries = 0;
    uint16_t calls_in_flight = 0;
    bool path_step_in_flight = false;
    bool started = false;  // its own first call has been sent
    bool ended = false;    // nothing more is to be sent: failed, or at the file's end
    bool waiting = false;  // in its connection's queue
    bool delayed = false;  // after NFS3ERR_JUKEBOX
    bool jukebox = false;  // its last answer was that
    int64_t delay_ns = 0;
  };

  struct QueuedSlot {
    uint32_t slot = kNone;
    uint32_t serial = 0;
  };

  struct Line {
    std::unique_ptr<Connection> connection;
    std::deque<QueuedSlot> waiting;  // slots with a call to send, in order
  };

  struct TargetState {
    NfsTarget target;
    Mounted mounted;
    uint32_t read_size = 0;   // largest READ call, bytes
    uint32_t write_size = 0;  // largest WRITE call, bytes
    uint32_t fill_size = 0;   // the same while filling files
    HandleTable handles;
    std::vector<Line> lines;
    uint32_t oldest = kNone;  // slots by deadline
    uint32_t newest = kNone;
  };

  struct Delay {
    MonoTime until;
    QueuedSlot slot;
  };

  struct Failure {
    Operation operation;
    uint32_t target = 0;
    bool known = false;
  };

  explicit NfsEngine(const EngineConfig& config);

  // Operations (nfs_operation.cc).
  void OnReply(const CallTag& tag, const Reply& reply, MonoTime arrived) override;
  void OnNoReply(const CallTag& tag, Outcome outcome) override;
  void Advance(uint32_t index);
  bool HasCallToSend(const Slot& slot) const;
  bool SendCall(uint32_t index, Line& line);
  bool SendPathStep(uint32_t index, Line& line, ObjectId missing);
  bool SendOwnCall(uint32_t index, Line& line);
  bool Transmit(uint32_t index, Line& line, const CallArguments& arguments, const CallTag& tag, bool extra);
  Part NextPart(Slot& slot) const;
  void OnPathReply(Slot& slot, const CallTag& tag, const Reply& reply);
  void OnOwnReply(Slot& slot, const CallTag& tag, const Reply& reply);
  void OnSuccess(Slot& slot, const CallTag& tag, const Reply& reply);
  void SendAgain(Slot& slot, const CallTag& tag, bool repeated);
  void StartDelay(uint32_t index, MonoTime now);
  void Fail(Slot& slot, Outcome outcome);
  void EndOnTarget(uint32_t index);
  void Finish(uint32_t index);
  ObjectId HandleNeeded(const Operation& operation) const;
  ObjectId MissingOnPath(const Slot& slot) const;
  ObjectId ParentOf(const Operation& operation, ObjectId object) const;
  HandleView FindHandle(const TargetState& target, ObjectId object) const;

  // The loop (nfs_engine.cc).
  bool OnEveryTarget(const Operation& operation) const;
  uint64_t HomeDirectory(const Operation& operation) const;
  Line& LineOf(const Slot& slot);
  void Link(uint32_t index);
  void Unlink(uint32_t index);
  void Expire(MonoTime now);
  void WakeDelayed(MonoTime now);
  void SendWaiting(Line& line);
  void AdvanceAnswered();
  void Wait(MonoTime until);
  bool Deliver(CompletionSink& sink);
  MonoTime NextWake(MonoTime until) const;
  std::string PathOf(const Operation& operation) const;

  const FileSet* files_;
  Clock* clock_;
  Content content_;
  v1::WriteStability stability_;
  std::vector<TargetState> targets_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::vector<QueuedSlot> answered_;  // slots that answers have changed
  std::vector<uint32_t> finished_;
  std::vector<Delay> delays_;  // a heap, the earliest first
  std::vector<pollfd> polled_;
  std::vector<char> write_buffer_;  // of one call: libnfs copies it
  std::array<ProcedureCount, kProcedures> procedures_;
  std::vector<Failure> failures_;  // the last one by outcome
  int in_flight_ = 0;
  uint32_t fsstat_target_ = 0;
};

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_NFS_ENGINE_H_
