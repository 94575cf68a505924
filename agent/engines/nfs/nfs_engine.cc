#include "agent/engines/nfs/nfs_engine.h"

#include <nfsc/libnfs-raw-nfs.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/registry.h"
#include "agent/engines/nfs/nfs_status.h"
#include "base/status.h"

namespace crest::nfs {
namespace {

constexpr uint32_t kLargestCall = 1 << 20;  // libnfs 4 refuses larger answers
constexpr int64_t kConnectBoundNs = 10'000'000'000;

// ppoll otherwise returns up to 50 µs late. The setting is a thread's own.
void SetTimerSlack() { thread_local const int set [[maybe_unused]] = prctl(PR_SET_TIMERSLACK, 1); }

bool Later(const MonoTime& a, const MonoTime& b) { return a > b; }

}  // namespace

NfsEngine::NfsEngine(const EngineConfig& config)
    : files_(config.files),
      clock_(config.clock),
      content_(config.seed),
      stability_(config.write_stability),
      slots_(std::max<uint32_t>(1, config.max_in_flight)),
      free_slots_(slots_.size()) {
  std::iota(free_slots_.rbegin(), free_slots_.rend(), 0);
  answered_.reserve(kMaxCallsInFlight * slots_.size());
  finished_.reserve(slots_.size());
  delays_.reserve(slots_.size());
  for (int number = 0; number < kProcedures; ++number) {
    procedures_[number].procedure = ProcedureName(static_cast<Procedure>(number));
  }
}

// Connections call nobody back while they go.
NfsEngine::~NfsEngine() = default;

absl::StatusOr<std::unique_ptr<NfsEngine>> NfsEngine::Open(const EngineConfig& config, std::vector<NfsTarget> targets,
                                                           std::vector<Mounted> mounted) {
  std::unique_ptr<NfsEngine> engine(new NfsEngine(config));
  const MonoTime deadline = config.clock->Now() + kConnectBoundNs;
  uint32_t largest_write = 0;
  engine->targets_.resize(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    TargetState& state = engine->targets_[i];
    state.target = std::move(targets[i]);
    state.mounted = std::move(mounted[i]);
    const uint32_t wanted = std::min(std::max<uint32_t>(1, config.transfer_size), kLargestCall);
    state.read_size = std::min(wanted, state.mounted.read_max);
    state.write_size = std::min(wanted, state.mounted.write_max);
    state.fill_size = std::min(kLargestCall, state.mounted.write_max);
    largest_write = std::max(largest_write, state.fill_size);
    const Endpoint endpoint{state.mounted.address, state.mounted.nfs_port, state.target.uid, state.target.gid};
    for (uint32_t number = 0; number < state.target.connections; ++number) {
      Line& line = state.lines.emplace_back();
      line.connection = std::make_unique<Connection>(endpoint, config.clock, engine.get());
      CREST_RETURN_IF_ERROR(Annotate(
          line.connection->Open(deadline),
          absl::StrCat("target ", state.target.url, ": NFS at ", state.target.host, " port ", state.mounted.nfs_port)));
    }
  }
  engine->write_buffer_.resize(largest_write);
  return engine;
}

uint64_t NfsEngine::HomeDirectory(const Operation& operation) const {
  return operation.object.kind() == ObjectKind::kDirectory ? operation.object.number() : operation.parent.number();
}

bool NfsEngine::OnEveryTarget(const Operation& operation) const {
  return operation.object.kind() != ObjectKind::kDirectory && operation.parent.kind() != ObjectKind::kDirectory &&
         operation.kind != v1::OPERATION_FSSTAT;
}

NfsEngine::Line& NfsEngine::LineOf(const Slot& slot) {
  std::vector<Line>& lines = targets_[slot.target].lines;
  return lines[HomeDirectory(slot.operation) / targets_.size() % lines.size()];
}

SubmitResult NfsEngine::Submit(const Operation& operation, uint64_t token, Completion& completion) {
  if (ProcedureOf(operation.kind) == Procedure::kNull) {
    const MonoTime now = clock_->Now();
    completion = {.token = token, .sent = now, .done = now, .outcome = kRpcProcUnavail};
    return SubmitResult::kDone;
  }
  if (free_slots_.empty()) return SubmitResult::kBusy;
  const uint32_t index = free_slots_.back();
  Slot& slot = slots_[index];
  const uint32_t serial = slot.serial;
  slot = Slot();
  slot.serial = serial;
  slot.operation = operation;
  slot.token = token;
  if (operation.kind == v1::OPERATION_FSSTAT) {
    slot.target = fsstat_target_;
  } else if (!OnEveryTarget(operation)) {
    slot.target = static_cast<uint32_t>(HomeDirectory(operation) % targets_.size());
  }
  slot.first_target = slot.target;
  if (!LineOf(slot).connection->CanSend()) return SubmitResult::kBusy;
  if (operation.kind == v1::OPERATION_FSSTAT) {
    fsstat_target_ = fsstat_target_ + 1 == targets_.size() ? 0 : fsstat_target_ + 1;
  }
  free_slots_.pop_back();
  ++in_flight_;
  slot.deadline = clock_->Now() + targets_[slot.target].target.timeout;
  Link(index);
  Advance(index);
  return SubmitResult::kAccepted;
}

// Deadlines of one target come in the order of sending, so a list keeps them sorted.
void NfsEngine::Link(uint32_t index) {
  Slot& slot = slots_[index];
  TargetState& target = targets_[slot.first_target];
  slot.previous = target.newest;
  slot.next = kNone;
  (target.newest == kNone ? target.oldest : slots_[target.newest].next) = index;
  target.newest = index;
}

void NfsEngine::Unlink(uint32_t index) {
  Slot& slot = slots_[index];
  TargetState& target = targets_[slot.first_target];
  (slot.previous == kNone ? target.oldest : slots_[slot.previous].next) = slot.next;
  (slot.next == kNone ? target.newest : slots_[slot.next].previous) = slot.previous;
}

void NfsEngine::Expire(MonoTime now) {
  for (TargetState& target : targets_) {
    while (target.oldest != kNone && slots_[target.oldest].deadline <= now) {
      const uint32_t index = target.oldest;
      Slot& slot = slots_[index];
      slot.done = now;
      // "Try later" all the time is an answer, and what a reader must know of it.
      Fail(slot, slot.jukebox ? OutcomeOfStatus(NFS3ERR_JUKEBOX) : kTimedOut);
      Finish(index);
    }
    // A server that answers nothing for long: the calls it owes are forgotten together with the connection.
    for (Line& line : target.lines) {
      if (line.connection->calls_outstanding() > 2 * kMaxCallsInFlight * slots_.size() + 64) line.connection->Break();
    }
  }
}

void NfsEngine::WakeDelayed(MonoTime now) {
  const auto later = [](const Delay& a, const Delay& b) { return Later(a.until, b.until); };
  while (!delays_.empty() && delays_.front().until <= now) {
    const QueuedSlot delayed = delays_.front().slot;
    std::pop_heap(delays_.begin(), delays_.end(), later);
    delays_.pop_back();
    if (slots_[delayed.slot].serial != delayed.serial) continue;
    slots_[delayed.slot].delayed = false;
    Advance(delayed.slot);
  }
}

void NfsEngine::SendWaiting(Line& line) {
  while (!line.waiting.empty() && line.connection->CanSend()) {
    const QueuedSlot first = line.waiting.front();
    line.waiting.pop_front();
    if (slots_[first.slot].serial != first.serial) continue;
    slots_[first.slot].waiting = false;
    Advance(first.slot);
  }
}

void NfsEngine::AdvanceAnswered() {
  // Advance can call back and add to the list.
  for (size_t i = 0; i < answered_.size(); ++i) {
    const QueuedSlot answered = answered_[i];
    if (slots_[answered.slot].serial == answered.serial) Advance(answered.slot);
  }
  answered_.clear();
}

MonoTime NfsEngine::NextWake(MonoTime until) const {
  if (!delays_.empty()) until = std::min(until, delays_.front().until);
  for (const TargetState& target : targets_) {
    if (target.oldest != kNone) until = std::min(until, slots_[target.oldest].deadline);
    for (const Line& line : target.lines) until = std::min(until, line.connection->NextMaintenance());
  }
  return until;
}

void NfsEngine::Wait(MonoTime until) {
  polled_.clear();
  for (const TargetState& target : targets_) {
    for (const Line& line : target.lines) {
      polled_.push_back({line.connection->descriptor(), line.connection->events(), 0});
    }
  }
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const int64_t left_ns = std::max<int64_t>(0, NextWake(until) - clock_->Now());
  const timespec timeout{.tv_sec = left_ns / kNsPerSecond, .tv_nsec = left_ns % kNsPerSecond};
  if (ppoll(polled_.data(), polled_.size(), &timeout, nullptr) <= 0) return;
  size_t number = 0;
  for (TargetState& target : targets_) {
    for (Line& line : target.lines) {
      const short revents = polled_[number++].revents;
      if (revents == 0) continue;
      line.connection->Service(revents);
      AdvanceAnswered();
      SendWaiting(line);
    }
  }
}

bool NfsEngine::Deliver(CompletionSink& sink) {
  // The sink may submit, and what it submits may finish; those wait for the next time.
  const size_t count = finished_.size();
  for (size_t i = 0; i < count; ++i) {
    const uint32_t index = finished_[i];
    const Slot& slot = slots_[index];
    const Completion completion{.token = slot.token,
                                .sent = slot.sent == MonoTime() ? slot.done : slot.sent,
                                .done = slot.done,
                                .outcome = slot.outcome,
                                .bytes = slot.bytes,
                                .calls = slot.calls,
                                .extra_calls = slot.extra_calls,
                                .object_size = slot.outcome == kOk ? slot.size : -1};
    free_slots_.push_back(index);
    --in_flight_;
    sink.OnCompletion(completion);
  }
  finished_.erase(finished_.begin(), finished_.begin() + static_cast<ptrdiff_t>(count));
  return count > 0;
}

void NfsEngine::Reap(MonoTime until, CompletionSink& sink) {
  SetTimerSlack();
  for (bool polled = false;; polled = true) {
    const MonoTime now = clock_->Now();
    for (TargetState& target : targets_) {
      for (Line& line : target.lines) line.connection->Maintain(now);
    }
    AdvanceAnswered();
    Expire(now);
    WakeDelayed(now);
    if (Deliver(sink) || (polled && now >= until)) return;
    Wait(until);
    if (Deliver(sink)) return;
  }
}

absl::StatusOr<Engine::Space> NfsEngine::CheckSpace() {
  // Targets share the file set evenly, but several exports may share one file system.
  struct FileSystem {
    std::string host;
    FileSystemSpace space;
    double exports = 0;
  };
  std::vector<FileSystem> systems;
  for (const TargetState& target : targets_) {
    CREST_ASSIGN_OR_RETURN(const FileSystemSpace space, CheckWritable(target.target, target.mounted));
    const auto same = std::find_if(systems.begin(), systems.end(), [&](const FileSystem& system) {
      return system.host == target.target.host && system.space.fsid == space.fsid;
    });
    if (same == systems.end()) {
      systems.push_back({target.target.host, space, 1});
    } else {
      ++same->exports;
    }
  }
  Space space;
  for (const FileSystem& system : systems) {
    space.free_bytes =
        std::min(space.free_bytes, system.space.free_bytes * static_cast<double>(targets_.size()) / system.exports);
  }
  return space;
}

absl::string_view NfsEngine::ErrorName(Outcome outcome) const {
  const absl::string_view name = NfsErrorName(outcome);
  return name.empty() ? Engine::ErrorName(outcome) : name;
}

std::string NfsEngine::PathOf(const Operation& operation) const {
  std::string path = files_->NameOf(operation.object);
  for (ObjectId object = operation.object; object.kind() != ObjectKind::kRoot;) {
    object = object == operation.object ? operation.parent : files_->ParentOf(object);
    path = absl::StrCat(files_->NameOf(object), "/", path);
  }
  return path;
}

std::string NfsEngine::Explain(Outcome outcome) const {
  const absl::string_view name = ErrorName(outcome);
  const absl::string_view advice = Advice(outcome);
  const std::string ending = advice.empty() ? "" : absl::StrCat("; ", advice);
  if (outcome >= failures_.size() || !failures_[outcome].known) return absl::StrCat(name, ending);
  const Failure& failure = failures_[outcome];
  return absl::StrCat(OperationName(failure.operation.kind), " of ", PathOf(failure.operation), " in export \"",
                      targets_[failure.target].target.export_path, "\" of ", targets_[failure.target].target.host,
                      " failed with ", name, ending);
}

std::vector<Engine::ProcedureCount> NfsEngine::Procedures() const {
  std::vector<ProcedureCount> counts;
  for (const ProcedureCount& count : procedures_) {
    if (!count.procedure.empty()) counts.push_back(count);
  }
  return counts;
}

int64_t NfsEngine::reconnect_count() const {
  int64_t count = 0;
  for (const TargetState& target : targets_) {
    for (const Line& line : target.lines) count += line.connection->reconnect_count();
  }
  return count;
}

void NfsEngine::Forget(ObjectId object) {
  for (TargetState& target : targets_) target.handles.Erase(object);
}

namespace {

absl::Status CheckTarget(const Target& target) { return ReadTarget(target).status(); }

absl::StatusOr<std::unique_ptr<Engine>> Open(const EngineConfig& config) {
  std::vector<NfsTarget> targets;
  std::vector<Mounted> mounted;
  for (const Target& target : config.targets) {
    CREST_ASSIGN_OR_RETURN(NfsTarget nfs, ReadTarget(target));
    CREST_ASSIGN_OR_RETURN(Mounted mount, Mount(nfs));
    targets.push_back(std::move(nfs));
    mounted.push_back(std::move(mount));
  }
  if (targets.empty()) return absl::InvalidArgumentError("engine nfs: there is no target");
  CREST_ASSIGN_OR_RETURN(std::unique_ptr<NfsEngine> engine,
                         NfsEngine::Open(config, std::move(targets), std::move(mounted)));
  return std::unique_ptr<Engine>(std::move(engine));
}

const EngineType kType = {
    .scheme = "nfs",
    .operations = {v1::OPERATION_GETATTR, v1::OPERATION_SETATTR, v1::OPERATION_LOOKUP, v1::OPERATION_ACCESS,
                   v1::OPERATION_READLINK, v1::OPERATION_READ, v1::OPERATION_WRITE, v1::OPERATION_CREATE,
                   v1::OPERATION_REMOVE, v1::OPERATION_READDIR, v1::OPERATION_READDIRPLUS, v1::OPERATION_FSSTAT,
                   v1::OPERATION_COMMIT, v1::OPERATION_MKDIR, v1::OPERATION_RMDIR, v1::OPERATION_SYMLINK},
    .check_target = CheckTarget,
    .open = Open,
};
[[maybe_unused]] const bool registered = RegisterEngine(&kType);

}  // namespace
}  // namespace crest::nfs
