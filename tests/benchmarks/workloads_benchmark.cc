// What a generator pays for knowing its next operation, its due time and its content.
// Aims on a current CPU: GETATTR 40 ns, READ 90 ns, an arrival 10 ns, content as fast as memory.
#include <benchmark/benchmark.h>

#include <vector>

#include "workloads/arrival_schedule.h"
#include "workloads/content.h"
#include "workloads/operation_stream.h"
#include "workloads/profile_for_test.h"

namespace crest {
namespace {

// sfs2008-nfs, or of its mix one operation alone.
std::unique_ptr<const WorkloadModel> Model(v1::OperationKind only) {
  v1::Workload workload = ProfileForTest("sfs2008-nfs");
  if (only != v1::OPERATION_UNSPECIFIED) {
    workload.clear_mix();
    v1::OperationShare* entry = workload.add_mix();
    entry->set_operation(only);
    entry->set_share(1);
  }
  return *WorkloadModel::Create(workload, 1);
}

// 200 streams in turn at 10,000 op/s, as a generator asks for them.
void NextOperation(benchmark::State& state) {
  const auto model = Model(static_cast<v1::OperationKind>(state.range(0)));
  constexpr uint32_t kStreams = 200;
  std::vector<OperationStream> streams;
  for (uint32_t stream = 0; stream < kStreams; ++stream) {
    streams.emplace_back(model.get(), model->files().CountsAt(10'000), stream, kStreams, 0);
  }
  size_t next = 0;
  for (auto unused : state) {
    benchmark::DoNotOptimize(streams[next].Next());
    if (++next == kStreams) next = 0;
  }
}
BENCHMARK(NextOperation)
    ->ArgName("kind")
    ->Arg(v1::OPERATION_UNSPECIFIED)
    ->Arg(v1::OPERATION_GETATTR)
    ->Arg(v1::OPERATION_READ)
    ->Arg(v1::OPERATION_WRITE)
    ->Arg(v1::OPERATION_CREATE);

void NextArrival(benchmark::State& state) {
  ArrivalSchedule schedule(static_cast<v1::Arrivals>(state.range(0)), 1000, 1, 0, 0);
  for (auto unused : state) {
    schedule.Advance();
    benchmark::DoNotOptimize(schedule.due_ns());
  }
}
BENCHMARK(NextArrival)->ArgName("law")->Arg(v1::ARRIVALS_UNIFORM)->Arg(v1::ARRIVALS_POISSON);

void FileSize(benchmark::State& state) {
  const auto model = Model(v1::OPERATION_UNSPECIFIED);
  uint64_t file = 0;
  for (auto unused : state) benchmark::DoNotOptimize(model->files().FileSize(file += 7919));
}
BENCHMARK(FileSize);

void FillContent(benchmark::State& state) {
  const Content content(1);
  std::vector<char> buffer(static_cast<size_t>(state.range(0)));
  uint64_t generation = 0;
  for (auto unused : state) {
    content.Fill({ObjectKind::kFile, 1}, 0, ++generation, absl::MakeSpan(buffer));
    benchmark::DoNotOptimize(buffer.data());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(FillContent)->ArgName("bytes")->Arg(4096)->Arg(262'144);

void OpenStream(benchmark::State& state) {
  const auto model = Model(v1::OPERATION_UNSPECIFIED);
  const FileSetCounts counts = model->files().CountsAt(10'000);
  uint32_t stream = 0;
  for (auto unused : state) benchmark::DoNotOptimize(OperationStream(model.get(), counts, stream++ % 200, 200, 0));
}
BENCHMARK(OpenStream);

}  // namespace
}  // namespace crest
