// LoadSession in real time: a thread for each generator while it has something to do.
#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "agent/engine/engine.h"
#include "agent/engine/registry.h"
#include "agent/host/host_load.h"
#include "agent/load/file_set_builder.h"
#include "agent/load/interval_merger.h"
#include "agent/load/load_session.h"
#include "agent/load/observer_session.h"
#include "agent/load/open_session_check.h"
#include "agent/load/paced_loop.h"
#include "agent/load/task_runner.h"
#include "base/status.h"
#include "base/units.h"

namespace crest {
namespace {

// Operations in flight per agent where the workload sets no bound per stream.
constexpr uint32_t kPoolSlots = 4096;
// Operations that preparing keeps in flight at most.
constexpr uint32_t kPrepareSlots = 64;
// How long a load point waits for answers after its end.
constexpr absl::Duration kDrain = absl::Seconds(10);
constexpr absl::Duration kCleanUp = absl::Seconds(2);
// Pause between looks at the generators' records.
constexpr absl::Duration kCollectEvery = absl::Milliseconds(20);
constexpr absl::Duration kProgressEvery = absl::Seconds(1);
// WRITE length while filling files; engines cut it to what a call may carry.
constexpr uint32_t kFillLength = 1 << 20;

/// One generator and what is its own.
struct Worker {
  std::vector<uint32_t> streams;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Generator> generator;
  std::vector<Operation> leftovers;
};

class RealLoadSession final : public LoadSession {
 public:
  RealLoadSession(const EngineType* type, std::unique_ptr<const WorkloadModel> model, const v1::OpenSession& open)
      : type_(type),
        model_(std::move(model)),
        stream_count_(open.stream_count()),
        agent_index_(open.agent_index()),
        agent_count_(open.agent_count()) {}

  absl::Status OpenEngines(const v1::OpenSession& open, const std::vector<Target>& targets, uint32_t generators);

  absl::StatusOr<v1::Prepared> Prepare(const v1::Prepare& request,
                                       const std::function<void(const v1::PrepareProgress&)>& progress) override;
  absl::StatusOr<v1::PointDone> RunPoint(const v1::StartPoint& start,
                                         const std::function<void(v1::IntervalReport)>& report) override;
  void Adjust(const v1::AdjustPoint& adjust) override;
  void Stop() override { stop_ = true; }
  void Resume() override { stop_ = false; }
  void Close() override;

 private:
  // Runs `work` for every worker, each on its own thread, and `meanwhile` on this one about every `pause` until all are
  // done. Returns the first error in the order of the workers.
  absl::Status OnAll(const std::function<absl::Status(Worker&)>& work, absl::Duration pause,
                     const std::function<void()>& meanwhile);
  // Deals this agent's streams of stream_count_ out over the workers.
  void DealStreams();
  // Operations that the worker's streams may have in flight.
  uint32_t SlotsOf(const Worker& worker) const;
  void MakeGenerator(Worker& worker);
  absl::Status CheckSpace(double missing_bytes);
  void CleanUp(Worker& worker, const std::atomic<bool>& stop);
  v1::PointDone Summarise(const v1::StartPoint& start) const;

  const EngineType* type_;
  std::unique_ptr<const WorkloadModel> model_;
  RealClock clock_;
  PointWindow window_;
  std::atomic<uint32_t> running_point_{0};  // whose edges may move; 0: none
  uint32_t stream_count_;
  uint32_t agent_index_;
  uint32_t agent_count_;
  std::vector<Worker> workers_;
  std::atomic<bool> stop_{false};
  FileSetCounts counts_;
  uint64_t whole_directories_ = 0;  // those with lower numbers are there, and their handles known
  bool prepared_ = false;           // since the last load point
};

absl::Status RealLoadSession::OpenEngines(const v1::OpenSession& open, const std::vector<Target>& targets,
                                          uint32_t generators) {
  const uint64_t own_streams = (stream_count_ - open.agent_index() + agent_count_ - 1) / agent_count_;
  workers_.resize(std::min<uint64_t>(generators, own_streams));
  DealStreams();
  return OnAll(
      [&](Worker& worker) -> absl::Status {
        EngineConfig engine_config{.targets = targets,
                                   .files = &model_->files(),
                                   .clock = &clock_,
                                   .write_stability = model_->workload().write_stability(),
                                   .max_length = std::max(model_->max_length(), kFillLength),
                                   .max_in_flight = std::max(SlotsOf(worker), kPoolSlots),
                                   .seed = model_->seed(),
                                   .generator = static_cast<uint32_t>(&worker - workers_.data())};
        if (model_->workload().has_transfer_size()) {
          engine_config.transfer_size = static_cast<uint32_t>(model_->workload().transfer_size());
        }
        CREST_ASSIGN_OR_RETURN(worker.engine, type_->open(engine_config));
        worker.recorder = std::make_unique<Recorder>();
        MakeGenerator(worker);
        return absl::OkStatus();
      },
      kCollectEvery, [] {});
}

void RealLoadSession::DealStreams() {
  for (Worker& worker : workers_) worker.streams.clear();
  size_t next = 0;
  for (uint64_t s = agent_index_; s < stream_count_; s += agent_count_) {
    workers_[next++ % workers_.size()].streams.push_back(static_cast<uint32_t>(s));
  }
}

uint32_t RealLoadSession::SlotsOf(const Worker& worker) const {
  const uint64_t outstanding = model_->workload().outstanding();
  if (outstanding == 0) return std::max(kPoolSlots / static_cast<uint32_t>(workers_.size()), 1u);
  return static_cast<uint32_t>(std::clamp<uint64_t>(outstanding * worker.streams.size(), 1, kPoolSlots));
}

void RealLoadSession::MakeGenerator(Worker& worker) {
  GeneratorConfig config{.model = model_.get(),
                         .stream_count = stream_count_,
                         .streams = worker.streams,
                         .outstanding = model_->workload().outstanding(),
                         .slots = SlotsOf(worker)};
  worker.generator = std::make_unique<Generator>(std::move(config), worker.engine.get(), &clock_, worker.recorder.get(),
                                                 &stop_, &lease_until_ns());
}

absl::Status RealLoadSession::OnAll(const std::function<absl::Status(Worker&)>& work, absl::Duration pause,
                                    const std::function<void()>& meanwhile) {
  absl::Mutex mutex;
  size_t running = workers_.size();
  std::vector<absl::Status> results(workers_.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < workers_.size(); ++i) {
    threads.emplace_back([&, i] {
      absl::Status status = work(workers_[i]);
      absl::MutexLock lock(&mutex);
      results[i] = std::move(status);
      --running;
    });
  }
  const auto all_done = [&running] { return running == 0; };
  for (bool done = false; !done;) {
    mutex.Lock();
    done = mutex.AwaitWithTimeout(absl::Condition(&all_done), pause);
    mutex.Unlock();
    meanwhile();
  }
  for (std::thread& thread : threads) thread.join();
  for (absl::Status& status : results) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Prepared> RealLoadSession::Prepare(const v1::Prepare& request,
                                                      const std::function<void(const v1::PrepareProgress&)>& progress) {
  const uint32_t streams = request.stream_count() == 0 ? stream_count_ : request.stream_count();
  CREST_RETURN_IF_ERROR(CheckPrepare(request, model_->workload(), streams, agent_count_));
  if (streams != stream_count_) {
    stream_count_ = streams;
    DealStreams();
    for (Worker& worker : workers_) MakeGenerator(worker);
    whole_directories_ = 0;  // dealt anew: each engine has to learn the handles of others
  }
  const FileSet& files = model_->files();
  counts_ = files.CountsAt(request.requested_ops_per_sec());
  prepared_ = false;
  BuildProgress build;
  std::vector<std::unique_ptr<TaskRunner>> runners;
  std::vector<std::unique_ptr<FileSetBuilder>> builders;
  v1::Prepared prepared;
  double own_files = 0;
  double missing_bytes = 0;
  for (Worker& worker : workers_) {
    runners.push_back(std::make_unique<TaskRunner>(worker.engine.get(), &clock_, &stop_));
    builders.push_back(std::make_unique<FileSetBuilder>(model_.get(), counts_, worker.streams, stream_count_,
                                                        kFillLength, worker.engine.get(), runners.back().get(),
                                                        &build));
    builders.back()->SkipDirectoriesBelow(whole_directories_);
    prepared.set_bytes_total(prepared.bytes_total() + builders.back()->total_bytes());
    prepared.set_bytes_accessed(prepared.bytes_accessed() + builders.back()->accessed_bytes());
    for (const uint32_t stream : worker.streams) {
      own_files += static_cast<double>(FileSetSlice(&files, counts_, stream, stream_count_).directory_count()) *
                   files.files_per_directory();
    }
  }
  if (type_->simulated) {
    prepared_ = true;
    return prepared;
  }

  absl::Time next_progress = absl::Now();
  const auto tell = [&] {
    if (absl::Now() < next_progress) return;
    next_progress = absl::Now() + kProgressEvery;
    v1::PrepareProgress now;
    now.set_phase(build.building ? "building file set" : "checking file set");
    now.set_files_done(
        static_cast<double>(build.building ? build.files_reused + build.files_created : build.files_checked.load()));
    now.set_files_total(own_files);
    now.set_bytes_done(static_cast<double>(build.bytes_created));
    now.set_bytes_total(missing_bytes);
    progress(now);
  };
  const auto builder_of = [&](const Worker& worker) { return builders[&worker - workers_.data()].get(); };
  CREST_RETURN_IF_ERROR(OnAll([&](Worker& worker) { return builder_of(worker)->Check(); }, kCollectEvery, tell));
  for (const auto& builder : builders) missing_bytes += builder->missing_bytes();
  CREST_RETURN_IF_ERROR(CheckSpace(missing_bytes));
  CREST_RETURN_IF_ERROR(OnAll([&](Worker& worker) { return builder_of(worker)->Build(); }, kCollectEvery, tell));
  prepared.set_files_created(static_cast<double>(build.files_created));
  prepared.set_files_reused(static_cast<double>(build.files_reused));
  prepared.set_bytes_created(static_cast<double>(build.bytes_created));
  for (const auto& runner : runners) prepared.set_calls(prepared.calls() + static_cast<double>(runner->calls()));
  whole_directories_ = std::max(whole_directories_, counts_.directories);
  prepared_ = true;
  return prepared;
}

absl::Status RealLoadSession::CheckSpace(double missing_bytes) {
  CREST_ASSIGN_OR_RETURN(const Engine::Space space, workers_.front().engine->CheckSpace());
  // Every agent has about the same share to build.
  const double needed = missing_bytes * agent_count_;
  if (needed <= space.free_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the target has ", FormatBytes(space.free_bytes), " free and the file set needs ", FormatBytes(needed),
      " more; free some, lower the load, or scale the file set with workload: {file_set: {bytes_per_op_rate: …}}"));
}

absl::StatusOr<v1::PointDone> RealLoadSession::RunPoint(const v1::StartPoint& start,
                                                        const std::function<void(v1::IntervalReport)>& report) {
  CREST_RETURN_IF_ERROR(CheckStartPoint(start, clock_.Now()));
  if (!prepared_) return absl::FailedPreconditionError("a load point was started before Prepare made its files");
  prepared_ = false;  // its first REMOVEs take files that the next Prepare makes again
  GeneratorPoint point;
  point.point = start.point();
  point.counts = counts_;
  point.stream_ops_per_s = start.requested_ops_per_sec() / stream_count_;
  point.timeline = PointTimeline(MonoTime{start.start_ns()}, ToNs(start.warmup()), ToNs(start.measure()));
  point.max_backlog_ns = ToNs(start.max_backlog());

  point.window = &window_;
  window_.Begin(point.timeline);
  running_point_ = start.point();

  IntervalMerger merger(start.point(), workers_.size(), workers_.front().engine.get());
  HostLoadSampler sampler;
  const auto collect = [&] {
    for (size_t i = 0; i < workers_.size(); ++i) {
      while (std::unique_ptr<IntervalRecord> record = workers_[i].recorder->Take()) {
        merger.Add(i, *record);
        workers_[i].recorder->Return(std::move(record));
      }
    }
    while (std::optional<v1::IntervalReport> next = merger.Next()) {
      v1::HostLoad load = sampler.Sample();
      load.MergeFrom(next->host_load());
      *next->mutable_host_load() = load;
      report(*std::move(next));
    }
  };
  CREST_RETURN_IF_ERROR(OnAll(
      [&](Worker& worker) -> absl::Status {
        worker.generator->Begin(point);
        RunPaced(*worker.generator, *worker.engine, clock_, kDrain);
        worker.leftovers = worker.generator->Leftovers();
        if (!worker.generator->summary().stopped) CleanUp(worker, stop_);
        return absl::OkStatus();
      },
      kCollectEvery, collect));
  running_point_ = 0;
  return Summarise(start);
}

void RealLoadSession::Adjust(const v1::AdjustPoint& adjust) {
  if (adjust.point() == 0 || adjust.point() != running_point_) return;
  const MonoTime now = clock_.Now();
  if (adjust.has_warmup()) window_.EndWarmup(ToNs(adjust.warmup()), now);
  if (adjust.has_measure()) window_.EndMeasure(ToNs(adjust.measure()), now);
}

v1::PointDone RealLoadSession::Summarise(const v1::StartPoint& start) const {
  v1::PointDone done;
  done.set_point(start.point());
  Histogram unfinished;
  std::vector<Engine::ProcedureCount> procedures;
  for (const Worker& worker : workers_) {
    const GeneratorSummary& summary = worker.generator->summary();
    unfinished.Merge(summary.unfinished_age);
    done.set_stopped(done.stopped() || summary.stopped);
    done.set_distinct_files(done.distinct_files() + summary.distinct_files);
    done.set_distinct_bytes(done.distinct_bytes() + summary.distinct_bytes);
    for (const Engine::ProcedureCount& count : summary.procedures) {
      const auto known = std::find_if(procedures.begin(), procedures.end(),
                                      [&](const auto& p) { return p.procedure == count.procedure; });
      if (known == procedures.end()) {
        procedures.push_back(count);
      } else {
        known->calls += count.calls;
        known->extra_calls += count.extra_calls;
      }
    }
  }
  done.set_unfinished_count(static_cast<int64_t>(unfinished.count()));
  *done.mutable_unfinished_age() = unfinished.ToProto();
  for (const Engine::ProcedureCount& count : procedures) {
    v1::ProcedureCalls& calls = *done.add_procedures();
    calls.set_procedure(std::string(count.procedure));
    calls.set_call_count(count.calls);
    calls.set_extra_call_count(count.extra_calls);
  }
  return done;
}

void RealLoadSession::CleanUp(Worker& worker, const std::atomic<bool>& stop) {
  if (type_->simulated) return;
  TaskRunner runner(worker.engine.get(), &clock_, &stop, kCleanUp);
  const auto remove = [&runner](Operation operation) -> Task {
    co_await runner.Do(operation);  // one that is gone already, or cannot be removed, stays within the marked file set
    co_return absl::OkStatus();
  };
  size_t i = 0;
  (void)runner.Run(
      [&]() -> std::optional<Task> {
        if (i == worker.leftovers.size()) return std::nullopt;
        return remove(worker.leftovers[i++]);
      },
      static_cast<int>(kPrepareSlots), kCleanUp);
  if (i == worker.leftovers.size()) worker.leftovers.clear();
}

void RealLoadSession::Close() {
  // Without the lease nothing is sent any more, not even to tidy up.
  const bool leased = clock_.Now().ns <= lease_until_ns().load();
  static const std::atomic<bool> never_stop{false};
  (void)OnAll(
      [&](Worker& worker) -> absl::Status {
        if (leased && !worker.leftovers.empty()) CleanUp(worker, never_stop);
        worker.generator.reset();
        worker.engine.reset();
        return absl::OkStatus();
      },
      kCollectEvery, [] {});
  workers_.clear();
}

uint32_t DefaultGenerators() { return std::max(std::thread::hardware_concurrency() / 2, 1u); }

}  // namespace

absl::StatusOr<std::unique_ptr<LoadSession>> LoadSession::Open(const v1::OpenSession& open,
                                                               const LoadOptions& options) {
  if (open.observer()) return MakeObserverSession();
  CREST_RETURN_IF_ERROR(CheckOpenSession(open));
  std::vector<Target> targets;
  for (const std::string& url : open.target()) {
    CREST_ASSIGN_OR_RETURN(Target target, ParseTarget(url));
    targets.push_back(std::move(target));
  }
  CREST_ASSIGN_OR_RETURN(const EngineType* type, FindEngine(targets.front().scheme));
  for (const Target& target : targets) {
    if (target.scheme != type->scheme) {
      return absl::InvalidArgumentError(absl::StrCat("targets ", targets.front().url, " and ", target.url,
                                                     " are of two kinds; one run measures one kind"));
    }
    CREST_RETURN_IF_ERROR(type->check_target(target));
  }
  CREST_RETURN_IF_ERROR(CheckOperations(open.workload(), *type));
  CREST_ASSIGN_OR_RETURN(std::unique_ptr<const WorkloadModel> model,
                         WorkloadModel::Create(open.workload(), open.seed()));
  auto session = std::make_unique<RealLoadSession>(type, std::move(model), open);
  CREST_RETURN_IF_ERROR(
      session->OpenEngines(open, targets, options.generators > 0 ? options.generators : DefaultGenerators()));
  return session;
}

}  // namespace crest
