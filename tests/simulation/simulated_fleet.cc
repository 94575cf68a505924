#include "tests/simulation/simulated_fleet.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/registry.h"
#include "agent/load/interval_merger.h"
#include "agent/load/simulation.h"
#include "agent/load/test_workload.h"
#include "results/merge.h"

namespace crest {
namespace {

constexpr uint32_t kSlots = 4096;

/// Shows every submitted operation to a test on its way to the engine.
class WatchedEngine final : public Engine {
 public:
  WatchedEngine(std::unique_ptr<Engine> engine, Clock* clock, std::function<void(const Operation&, MonoTime)> watch)
      : engine_(std::move(engine)), clock_(clock), watch_(std::move(watch)) {}

  SubmitResult Submit(const Operation& operation, uint64_t token, Completion& completion) override {
    const SubmitResult result = engine_->Submit(operation, token, completion);
    if (result != SubmitResult::kBusy) watch_(operation, clock_->Now());
    return result;
  }
  void Reap(MonoTime until, CompletionSink& sink) override { engine_->Reap(until, sink); }
  MonoTime NextCompletion() const override { return engine_->NextCompletion(); }
  int in_flight() const override { return engine_->in_flight(); }

 private:
  std::unique_ptr<Engine> engine_;
  Clock* clock_;
  std::function<void(const Operation&, MonoTime)> watch_;
};

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) ADD_FAILURE() << value.status();
  return *std::move(value);
}

}  // namespace

struct SimulatedFleet::Agent {
  std::unique_ptr<Engine> engine;
  Recorder recorder;
  std::unique_ptr<Generator> generator;
};

SimulatedFleet::SimulatedFleet(SimulatedFleetOptions options) : options_(std::move(options)) {
  model_ = Value(WorkloadModel::Create(options_.workload, options_.seed));
  const Target target = Value(ParseTarget(options_.target));
  const EngineType* const type = Value(FindEngine(target.scheme));
  for (uint32_t a = 0; a < options_.agents; ++a) {
    auto agent = std::make_unique<Agent>();
    EngineConfig engine_config;
    engine_config.targets = {target};
    engine_config.files = &model_->files();
    engine_config.clock = &clock_;
    engine_config.max_in_flight = kSlots;
    engine_config.seed = options_.seed;
    agent->engine = Value(type->open(engine_config));
    if (options_.on_submit) {
      agent->engine = std::make_unique<WatchedEngine>(std::move(agent->engine), &clock_, options_.on_submit);
    }
    GeneratorConfig config{.model = model_.get(),
                           .stream_count = options_.streams,
                           .outstanding = options_.workload.outstanding(),
                           .slots = kSlots};
    for (uint32_t s = a; s < options_.streams; s += options_.agents) config.streams.push_back(s);
    agent->generator =
        std::make_unique<Generator>(std::move(config), agent->engine.get(), &clock_, &agent->recorder, &stop_, &lease_);
    agents_.push_back(std::move(agent));
  }
}

SimulatedFleet::~SimulatedFleet() = default;

v1::PointData SimulatedFleet::RunPoint(uint32_t index, double ops_per_sec, absl::Duration warmup,
                                       absl::Duration measure) {
  GeneratorPoint point;
  point.point = index;
  point.counts = model_->files().CountsAt(ops_per_sec);
  point.stream_ops_per_s = ops_per_sec / options_.streams;
  point.timeline = PointTimeline(clock_.Now() + absl::Seconds(1), absl::ToInt64Nanoseconds(warmup),
                                 absl::ToInt64Nanoseconds(measure));
  point.max_backlog_ns = absl::ToInt64Nanoseconds(absl::Minutes(10));

  std::vector<std::string> names;
  std::vector<IntervalMerger> mergers;
  std::vector<SimulatedGenerator> generators;
  for (const auto& agent : agents_) {
    names.push_back(absl::StrCat("agent", names.size()));
    mergers.emplace_back(index, 1, agent->engine.get());
    generators.push_back({agent->generator.get(), agent->engine.get()});
    agent->generator->Begin(point);
  }
  PointMerger merger(index, ops_per_sec, names);
  RunSimulation(generators, clock_, [&](size_t i) {
    Recorder& recorder = agents_[i]->recorder;
    while (std::unique_ptr<IntervalRecord> record = recorder.Take()) {
      mergers[i].Add(0, *record);
      recorder.Return(std::move(record));
      while (auto report = mergers[i].Next()) EXPECT_TRUE(merger.Add(static_cast<uint32_t>(i), *report).ok());
    }
  });
  for (size_t i = 0; i < agents_.size(); ++i) {
    EXPECT_TRUE(mergers[i].finished());
    const GeneratorSummary& summary = agents_[i]->generator->summary();
    v1::PointDone done;
    done.set_point(index);
    done.set_unfinished_count(static_cast<int64_t>(summary.unfinished_age.count()));
    *done.mutable_unfinished_age() = summary.unfinished_age.ToProto();
    EXPECT_TRUE(merger.Add(static_cast<uint32_t>(i), done).ok());
  }
  return merger.Finish("2000-01-01T00:00:00Z", warmup, false);
}

v1::Workload OpenWorkload(v1::Arrivals arrivals) {
  v1::Workload workload = GetattrWorkload(/*outstanding=*/0);
  workload.mutable_file_set()->set_bytes_per_op_rate(1 << 20);  // directories enough for every stream
  workload.set_arrivals(arrivals);
  return workload;
}

}  // namespace crest
