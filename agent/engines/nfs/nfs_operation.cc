// What an operation of engine `nfs` sends next, and what an answer makes of it.
#include <nfsc/libnfs-raw-nfs.h>

#include <algorithm>

#include "agent/engines/nfs/nfs_engine.h"
#include "agent/engines/nfs/nfs_status.h"

namespace crest::nfs {
namespace {

// The export's root directory, which holds the file set's own: the parent of ObjectKind::kRoot. No such object is ever
// looked up or created.
constexpr ObjectId kExportRoot{static_cast<ObjectKind>(15), 0};

constexpr int64_t kMinDelayNs = 10'000'000;
constexpr int64_t kMaxDelayNs = 1'000'000'000;
// Directories on a path may turn out stale one after the other: root, group, directory, and once more.
constexpr uint8_t kMaxPathRetries = 4;

bool MovesData(v1::OperationKind kind) { return kind == v1::OPERATION_READ || kind == v1::OPERATION_WRITE; }

bool IsStale(int status) { return status == NFS3ERR_STALE || status == NFS3ERR_BADHANDLE; }

}  // namespace

ObjectId NfsEngine::ParentOf(const Operation& operation, ObjectId object) const {
  if (object.kind() == ObjectKind::kRoot) return kExportRoot;
  // Created objects have no place of their own: the operation tells it.
  return object == operation.object ? operation.parent : files_->ParentOf(object);
}

ObjectId NfsEngine::HandleNeeded(const Operation& operation) const {
  switch (operation.kind) {
    case v1::OPERATION_LOOKUP:
    case v1::OPERATION_CREATE:
    case v1::OPERATION_REMOVE:
    case v1::OPERATION_MKDIR:
    case v1::OPERATION_RMDIR:
    case v1::OPERATION_SYMLINK:
      return ParentOf(operation, operation.object);
    case v1::OPERATION_FSSTAT:
      return kExportRoot;
    default:
      return operation.object;
  }
}

HandleView NfsEngine::FindHandle(const TargetState& target, ObjectId object) const {
  if (object == kExportRoot) return {target.mounted.root.data(), target.mounted.root.size()};
  return target.handles.Find(object);
}

// The first object on the way down to the needed one whose handle is not known; kExportRoot when all are.
ObjectId NfsEngine::MissingOnPath(const Slot& slot) const {
  const TargetState& target = targets_[slot.target];
  ObjectId missing = kExportRoot;
  ObjectId object = HandleNeeded(slot.operation);
  while (FindHandle(target, object).empty()) {
    missing = object;
    object = ParentOf(slot.operation, object);
  }
  return missing;
}

bool NfsEngine::HasCallToSend(const Slot& slot) const {
  if (slot.ended || slot.delayed || slot.path_step_in_flight) return false;
  if (slot.calls_in_flight >= kMaxCallsInFlight) return false;
  if (slot.again_count > 0 || !slot.started) return true;
  return MovesData(slot.operation.kind) && slot.next_offset < slot.operation.length;
}

void NfsEngine::Advance(uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.waiting) return;
  Line& line = LineOf(slot);
  while (HasCallToSend(slot)) {
    if (line.connection->CanSend() && SendCall(index, line)) continue;
    slot.waiting = true;
    line.waiting.push_back({index, slot.serial});
    return;
  }
  if (slot.calls_in_flight == 0 && !slot.delayed) EndOnTarget(index);
}

bool NfsEngine::SendCall(uint32_t index, Line& line) {
  const ObjectId missing = MissingOnPath(slots_[index]);
  return missing == kExportRoot ? SendOwnCall(index, line) : SendPathStep(index, line, missing);
}

bool NfsEngine::SendPathStep(uint32_t index, Line& line, ObjectId missing) {
  Slot& slot = slots_[index];
  const std::string name = files_->NameOf(missing);
  CallArguments arguments;
  arguments.procedure = Procedure::kLookup;
  arguments.handle = FindHandle(targets_[slot.target], ParentOf(slot.operation, missing));
  arguments.name = name.c_str();
  const CallTag tag{
      .slot = index, .serial = slot.serial, .procedure = Procedure::kLookup, .path_step = true, .object = missing};
  if (!Transmit(index, line, arguments, tag, true)) return false;
  slot.path_step_in_flight = true;
  return true;
}

NfsEngine::Part NfsEngine::NextPart(Slot& slot) const {
  if (slot.again_count > 0) return slot.again[slot.again_count - 1];
  const Operation& operation = slot.operation;
  Part part{.offset = slot.next_offset};
  if (MovesData(operation.kind)) {
    const TargetState& target = targets_[slot.target];
    const uint32_t most = operation.kind == v1::OPERATION_READ ? target.read_size
                          : operation.fill                     ? target.fill_size
                                                               : target.write_size;
    part.count = std::min(operation.length - slot.next_offset, most);
  }
  return part;
}

bool NfsEngine::SendOwnCall(uint32_t index, Line& line) {
  Slot& slot = slots_[index];
  const Operation& operation = slot.operation;
  const Part part = NextPart(slot);
  const std::string name = files_->NameOf(operation.object);
  std::string link_target;
  CallArguments arguments;
  arguments.procedure = ProcedureOf(operation.kind);
  arguments.handle = FindHandle(targets_[slot.target], HandleNeeded(operation));
  arguments.name = name.c_str();
  arguments.offset = operation.offset + part.offset;
  arguments.count = part.count;
  arguments.stability = stability_;
  if (operation.kind == v1::OPERATION_SYMLINK) {
    link_target = files_->LinkTarget(operation.object.number());
    arguments.link_target = link_target.c_str();
  } else if (operation.kind == v1::OPERATION_WRITE) {
    content_.Fill(operation.object, arguments.offset, operation.generation,
                  absl::MakeSpan(write_buffer_.data(), part.count));
    arguments.data = write_buffer_.data();
  }
  const CallTag tag{.slot = index,
                    .serial = slot.serial,
                    .procedure = arguments.procedure,
                    .repeated = part.repeated,
                    .offset = part.offset,
                    .count = part.count};
  if (!Transmit(index, line, arguments, tag, part.extra)) return false;
  slot.started = true;
  if (slot.again_count > 0) {
    --slot.again_count;
  } else {
    slot.next_offset += part.count;
  }
  return true;
}

bool NfsEngine::Transmit(uint32_t index, Line& line, const CallArguments& arguments, const CallTag& tag, bool extra) {
  Slot& slot = slots_[index];
  const MonoTime sent = line.connection->Send(arguments, tag);
  if (sent == MonoTime()) return false;
  if (slot.sent == MonoTime()) slot.sent = sent;
  ++slot.calls_in_flight;
  ProcedureCount& count = procedures_[static_cast<size_t>(arguments.procedure)];
  ++(extra ? slot.extra_calls : slot.calls);
  ++(extra ? count.extra_calls : count.calls);
  return true;
}

void NfsEngine::OnReply(const CallTag& tag, const Reply& reply, MonoTime arrived) {
  Slot& slot = slots_[tag.slot];
  if (slot.serial != tag.serial) return;  // it has timed out
  slot.done = std::max({arrived, slot.sent, slot.done});
  --slot.calls_in_flight;
  answered_.push_back({tag.slot, tag.serial});
  slot.jukebox = reply.status == NFS3ERR_JUKEBOX;
  if (tag.path_step) {
    OnPathReply(slot, tag, reply);
  } else {
    OnOwnReply(slot, tag, reply);
  }
}

void NfsEngine::OnNoReply(const CallTag& tag, Outcome outcome) {
  Slot& slot = slots_[tag.slot];
  if (slot.serial != tag.serial) return;
  slot.done = clock_->Now();
  --slot.calls_in_flight;
  if (tag.path_step) slot.path_step_in_flight = false;
  answered_.push_back({tag.slot, tag.serial});
  Fail(slot, outcome);
}

void NfsEngine::OnPathReply(Slot& slot, const CallTag& tag, const Reply& reply) {
  slot.path_step_in_flight = false;
  TargetState& target = targets_[slot.target];
  if (reply.status == NFS3_OK) {
    // Without a handle the path would be walked for ever.
    if (reply.object.empty() || reply.object.size() > kMaxHandle) return Fail(slot, OutcomeOfStatus(NFS3ERR_BADHANDLE));
    target.handles.Put(tag.object, reply.object);
    return;
  }
  if (reply.status == NFS3ERR_JUKEBOX) return StartDelay(tag.slot, slot.done);
  const ObjectId directory = ParentOf(slot.operation, tag.object);
  if (IsStale(reply.status) && directory != kExportRoot && slot.path_retries < kMaxPathRetries) {
    ++slot.path_retries;
    target.handles.Erase(directory);
    return;
  }
  Fail(slot, OutcomeOfStatus(reply.status));
}

void NfsEngine::OnOwnReply(Slot& slot, const CallTag& tag, const Reply& reply) {
  if (reply.status == NFS3_OK) return OnSuccess(slot, tag, reply);
  if (slot.ended) return;
  if (reply.status == NFS3ERR_JUKEBOX) {
    SendAgain(slot, tag, tag.repeated);
    return StartDelay(tag.slot, slot.done);
  }
  const ObjectId used = HandleNeeded(slot.operation);
  if (IsStale(reply.status) && !tag.repeated && used != kExportRoot) {
    targets_[slot.target].handles.Erase(used);
    return SendAgain(slot, tag, true);
  }
  Fail(slot, OutcomeOfStatus(reply.status));
}

void NfsEngine::SendAgain(Slot& slot, const CallTag& tag, bool repeated) {
  slot.again[slot.again_count++] = {static_cast<uint32_t>(tag.offset), tag.count, true, repeated};
}

void NfsEngine::OnSuccess(Slot& slot, const CallTag& tag, const Reply& reply) {
  HandleTable& handles = targets_[slot.target].handles;
  const Operation& operation = slot.operation;
  switch (operation.kind) {
    case v1::OPERATION_READ:
    case v1::OPERATION_WRITE: {
      const uint32_t moved = std::min(reply.count, tag.count);
      slot.bytes += moved;
      if (reply.eof && operation.kind == v1::OPERATION_READ) {
        slot.ended = slot.ended || moved < tag.count;
      } else if (moved < tag.count && !slot.ended) {
        if (moved == 0) return Fail(slot, kShortTransfer);
        // The rest is a call that the operation needs, as any client would send it.
        slot.again[slot.again_count++] = {static_cast<uint32_t>(tag.offset) + moved, tag.count - moved, false, false};
      }
      return;
    }
    case v1::OPERATION_LOOKUP:
    case v1::OPERATION_CREATE:
    case v1::OPERATION_MKDIR:
    case v1::OPERATION_SYMLINK:
      handles.Put(operation.object, reply.object);
      // A server need not give the handle of what it created; an old one would be of a removed object.
      if (reply.object.empty()) handles.Erase(operation.object);
      break;
    case v1::OPERATION_REMOVE:
    case v1::OPERATION_RMDIR:
      handles.Erase(operation.object);
      break;
    default:
      break;
  }
  slot.size = std::max(slot.size, reply.size);
}

void NfsEngine::StartDelay(uint32_t index, MonoTime now) {
  Slot& slot = slots_[index];
  if (slot.delayed) return;
  slot.delay_ns = slot.delay_ns == 0 ? kMinDelayNs : std::min(2 * slot.delay_ns, kMaxDelayNs);
  slot.delayed = true;
  delays_.push_back({now + slot.delay_ns, {index, slot.serial}});
  std::push_heap(delays_.begin(), delays_.end(), [](const Delay& a, const Delay& b) { return a.until > b.until; });
}

void NfsEngine::Fail(Slot& slot, Outcome outcome) {
  slot.ended = true;
  if (slot.outcome == kOk) slot.outcome = outcome;
}

// What exists everywhere is done everywhere, also where one target has refused: building a file set again finds some
// of it there.
void NfsEngine::EndOnTarget(uint32_t index) {
  Slot& slot = slots_[index];
  const bool broken = slot.outcome == kTimedOut || slot.outcome == kConnectionLost;
  if (!OnEveryTarget(slot.operation) || slot.target + 1 == targets_.size() || broken) return Finish(index);
  ++slot.target;
  slot.next_offset = 0;
  slot.bytes = 0;
  slot.again_count = 0;
  slot.path_retries = 0;
  slot.started = false;
  slot.ended = false;
  Advance(index);
}

void NfsEngine::Finish(uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.outcome != kOk) {
    if (failures_.size() <= slot.outcome) failures_.resize(slot.outcome + size_t{1});
    failures_[slot.outcome] = {slot.operation, slot.target, true};
  }
  ++slot.serial;
  Unlink(index);
  finished_.push_back(index);
}

}  // namespace crest::nfs
