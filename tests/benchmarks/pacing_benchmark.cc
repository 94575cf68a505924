// How well crest keeps its schedule in real time: engine null, one generator, every histogram on. Prints one line a
// rate. Poisson counts scatter by their square root, so of those only the greatest rates are within 0.1 % in a few
// seconds.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "agent/load/load_session.h"
#include "agent/load/test_workload.h"
#include "base/clock.h"
#include "results/histogram.h"

namespace crest {
namespace {

constexpr uint32_t kStreams = 100;
constexpr int kSeconds = 3;

void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

void RunRate(v1::Arrivals arrivals, double ops_per_sec) {
  v1::OpenSession open;
  open.add_target("null:");
  v1::Workload& workload = *open.mutable_workload();
  workload = GetattrWorkload(/*outstanding=*/0);
  workload.mutable_file_set()->set_bytes_per_op_rate(1 << 20);  // directories enough for every stream
  workload.set_arrivals(arrivals);
  open.set_seed(1);
  open.set_stream_count(kStreams);
  open.set_agent_count(1);
  auto session = LoadSession::Open(open, {.generators = 1});
  if (!session.ok()) Die(session.status());
  v1::Prepare prepare;
  prepare.set_requested_ops_per_sec(ops_per_sec);
  if (const auto prepared = (*session)->Prepare(prepare, [](const v1::PrepareProgress&) {}); !prepared.ok()) {
    Die(prepared.status());
  }
  v1::StartPoint start;
  start.set_point(1);
  start.set_requested_ops_per_sec(ops_per_sec);
  start.set_start_ns((RealClock().Now() + absl::Milliseconds(200)).ns);
  start.mutable_warmup()->set_seconds(1);
  start.mutable_measure()->set_seconds(kSeconds);
  start.mutable_max_backlog()->set_seconds(30);
  Histogram lag;
  int64_t done = 0;
  const auto point = (*session)->RunPoint(start, [&](const v1::IntervalReport& report) {
    if (!report.measured()) return;
    if (!lag.Merge(report.schedule_lag()).ok()) Die(absl::InternalError("a report with a malformed histogram"));
    for (const v1::OperationCounts& counts : report.operations()) done += counts.count();
  });
  if (!point.ok()) Die(point.status());
  std::printf("%-8s %9.0f %12.4f %10.1f %10.1f\n", arrivals == v1::ARRIVALS_POISSON ? "poisson" : "uniform",
              ops_per_sec, static_cast<double>(done) / kSeconds / ops_per_sec, lag.RawQuantileNs(0.5) / 1e3,
              lag.RawQuantileNs(0.99) / 1e3);
}

int Main() {
  std::printf("%-8s %9s %12s %10s %10s\n", "arrivals", "op/s", "achieved", "lag p50 us", "lag p99 us");
  for (const v1::Arrivals arrivals : {v1::ARRIVALS_UNIFORM, v1::ARRIVALS_POISSON}) {
    for (const double rate : {100.0, 1'000.0, 10'000.0, 100'000.0, 150'000.0, 200'000.0, 500'000.0})
      RunRate(arrivals, rate);
  }
  return 0;
}

}  // namespace
}  // namespace crest

int main() { return crest::Main(); }
