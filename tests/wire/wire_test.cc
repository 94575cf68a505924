// A measured window of a real run against a capture of it: the same calls, the same times.
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "crest/v1/result.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "results/histogram.h"
#include "tests/run/run_fixture.h"
#include "tests/wire/capture.h"

namespace crest {
namespace {

// A call this near to an edge of the window may fall on either side of it.
constexpr int64_t kEdgeNs = 2'000'000;
constexpr int64_t kMicrosecond = 1'000;

const std::map<int, std::string>& ProcedureNames() {
  static const auto* const names = new std::map<int, std::string>{
      {0, "NULL"},   {1, "GETATTR"},  {2, "SETATTR"},      {3, "LOOKUP"},  {4, "ACCESS"},   {5, "READLINK"},
      {6, "READ"},   {7, "WRITE"},    {8, "CREATE"},       {9, "MKDIR"},   {10, "SYMLINK"}, {12, "REMOVE"},
      {13, "RMDIR"}, {16, "READDIR"}, {17, "READDIRPLUS"}, {18, "FSSTAT"}, {19, "FSINFO"},  {21, "COMMIT"}};
  return *names;
}

std::string NameOf(const WireCall& call) {
  const auto found = ProcedureNames().find(call.procedure);
  return found == ProcedureNames().end() ? absl::StrCat("procedure ", call.procedure) : found->second;
}

std::string NameOf(const v1::OperationData& operation) {
  return v1::OperationKind_Name(operation.counts().operation()).substr(sizeof("OPERATION_") - 1);
}

// How many moments lie surely inside the window, and how many so near to its edges that they may.
struct Inside {
  int64_t sure = 0;
  int64_t at_edges = 0;
};

// The same run for all tests: it takes the time.
class WireTest : public RunFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(Capture::Available().ok()) << Capture::Available();
    if (!Shared()) Measure();
    ASSERT_TRUE(Shared()) << "the run that all these tests look at has failed";
  }

  static void TearDownTestSuite() { Shared().reset(); }

  struct Measured {
    v1::PointData point;
    v1::RunResult result;
    std::vector<WireCall> calls;
    int64_t window_start_ns = 0;  // since 1970
    int64_t window_end_ns = 0;
  };

  void RunOnce(const SpecText& spec) {
    const Ended run = Crest(WriteSpec(spec));
    ASSERT_THAT(run.exit_code, testing::AnyOf(0, 1)) << run.err;
  }

  void Measure() {
    StartServer();
    const std::string agent = StartAgent({server_->Url()});
    // The file set is built before: more bytes than a capture takes in without dropping some.
    ASSERT_NO_FATAL_FAILURE(RunOnce(
        {.name = "prepare",
         .target = server_->Url(),
         .agents = {agent},
         .workload =
             "{profile: sfs2008-nfs, file_set: {bytes_per_op_rate: 64KiB, file_size: {8KiB: 90%, 256KiB: 10%}}}",
         .load = "{plan: steps, rates: [500], warmup: 1s, measure: 1s, streams: 8}"}));
    absl::StatusOr<std::unique_ptr<Capture>> capture = Capture::Start(server_->nfs_port());
    ASSERT_TRUE(capture.ok()) << capture.status();
    ASSERT_NO_FATAL_FAILURE(RunOnce(
        {.name = "wire",
         .target = server_->Url(),
         .agents = {agent},
         .workload =
             "{profile: sfs2008-nfs, file_set: {bytes_per_op_rate: 64KiB, file_size: {8KiB: 90%, 256KiB: 10%}}}",
         .load = "{plan: steps, rates: [500], warmup: 2s, measure: 10s, streams: 8}"}));
    const absl::Status stopped = (*capture)->Stop();
    ASSERT_TRUE(stopped.ok()) << stopped;
    absl::StatusOr<std::vector<WireCall>> calls = (*capture)->Calls();
    ASSERT_TRUE(calls.ok()) << calls.status();

    auto measured = std::make_unique<Measured>();
    measured->calls = *std::move(calls);
    ASSERT_GE(RunFolders().size(), 2u);
    const std::string folder = RunFolders().back();
    measured->point = ReadPoint(folder, 1);
    measured->result = ReadResult(folder);
    absl::Time started;
    std::string error;
    ASSERT_TRUE(absl::ParseTime(absl::RFC3339_full, measured->point.started_at(), &started, &error)) << error;
    measured->window_start_ns = absl::ToUnixNanos(started + absl::Nanoseconds(measured->point.warmup_ns()));
    measured->window_end_ns = measured->window_start_ns + measured->point.measured_ns();
    ASSERT_EQ(measured->point.measured_ns(), 10'000'000'000);
    Shared() = std::move(measured);
  }

  static bool AtEdge(int64_t moment_ns, int64_t edge_ns = kEdgeNs) {
    return std::abs(moment_ns - Shared()->window_start_ns) <= edge_ns ||
           std::abs(moment_ns - Shared()->window_end_ns) <= edge_ns;
  }

  static bool InWindow(int64_t moment_ns) {
    return moment_ns >= Shared()->window_start_ns && moment_ns < Shared()->window_end_ns;
  }

  static void Add(Inside& inside, int64_t moment_ns, int64_t edge_ns = kEdgeNs) {
    if (AtEdge(moment_ns, edge_ns)) {
      ++inside.at_edges;
    } else if (InWindow(moment_ns)) {
      ++inside.sure;
    }
  }

  // Service times of the calls of `procedure` that were answered in the window.
  static Histogram CapturedService(const std::string& procedure) {
    Histogram service;
    for (const WireCall& call : Shared()->calls) {
      if (call.replied_ns != 0 && NameOf(call) == procedure && InWindow(call.replied_ns)) {
        service.Record(call.service_ns());
      }
    }
    return service;
  }

  // What differs between the times of a capture and of the result by more than is allowed; empty: nothing.
  static std::string Difference(const std::string& what, const Histogram& captured, const Histogram& result) {
    std::string difference;
    const auto compare = [&](absl::string_view figure, double in_capture_ns, double in_result_ns, double bound_ns) {
      if (std::abs(in_result_ns - in_capture_ns) <= bound_ns) return;
      absl::StrAppend(&difference, what, ": ", figure, " ", in_result_ns / kMicrosecond, " us, captured ",
                      in_capture_ns / kMicrosecond, " us\n");
    };
    compare("mean", captured.mean_ns(), result.mean_ns(), std::max(0.05 * captured.mean_ns(), 20.0 * kMicrosecond));
    const std::optional<double> captured_p99 = captured.QuantileNs(0.99);
    const std::optional<double> result_p99 = result.QuantileNs(0.99);
    if (captured_p99 && result_p99) {
      compare("p99", *captured_p99, *result_p99, std::max(0.1 * *captured_p99, 100.0 * kMicrosecond));
    }
    return difference;
  }

  void CompareServiceTimes(std::string& differences) {
    // Fewer operations of a kind are at the mercy of a single late one.
    constexpr uint64_t kEnough = 500;
    differences.clear();
    Histogram captured_of_all;
    Histogram result_of_all;
    int kinds = 0;
    for (const v1::OperationData& operation : Shared()->point.operations()) {
      const std::string name = NameOf(operation);
      const bool one_call = name != "READ" && name != "WRITE";
      if (!one_call) continue;
      ASSERT_EQ(operation.counts().call_count(), operation.counts().count()) << name;
      ASSERT_EQ(operation.counts().extra_call_count(), 0) << name;
      Histogram result;
      ASSERT_TRUE(result.Merge(operation.histograms().service()).ok());
      const Histogram captured = CapturedService(name);
      ASSERT_GT(captured.count(), 0u) << name;
      captured_of_all.Merge(captured);
      result_of_all.Merge(result);
      if (captured.count() >= kEnough) absl::StrAppend(&differences, Difference(name, captured, result));
      ++kinds;
    }
    EXPECT_EQ(kinds, 10);
    ASSERT_TRUE(captured_of_all.QuantileNs(0.99).has_value());
    absl::StrAppend(&differences, Difference("all operations of one call", captured_of_all, result_of_all));
  }

  static std::unique_ptr<Measured>& Shared() {
    static auto* const measured = new std::unique_ptr<Measured>;
    return *measured;
  }
};

TEST_F(WireTest, EveryProcedureWasCalledAsOftenAsTheResultSays) {
  std::map<std::string, Inside> captured;
  int64_t at_edges = 0;
  for (const WireCall& call : Shared()->calls) {
    Add(captured[NameOf(call)], call.called_ns);
    at_edges += AtEdge(call.called_ns) ? 1 : 0;
  }
  int64_t calls = 0;
  for (const v1::ProcedureCalls& counted : Shared()->point.procedures()) {
    const Inside inside = captured[counted.procedure()];
    const int64_t count = counted.call_count() + counted.extra_call_count();
    EXPECT_GE(count, inside.sure) << counted.procedure();
    EXPECT_LE(count, inside.sure + inside.at_edges) << counted.procedure();
    calls += count;
    captured.erase(counted.procedure());
  }
  for (const auto& [name, inside] : captured) EXPECT_EQ(inside.sure, 0) << name << " is on the wire alone";
  EXPECT_GT(calls, 5000);
  // A wrong window would show here: 8 ms of 10 s hold a handful.
  EXPECT_LT(at_edges, 50);
}

TEST_F(WireTest, OperationsTookTheCallsThatWereAnswered) {
  // An operation counts whole when its last call is answered, so the calls of those under way may lie before an edge.
  int64_t longest_ns = kEdgeNs;
  int64_t calls = 0;
  for (const v1::OperationData& operation : Shared()->point.operations()) {
    calls += operation.counts().call_count() + operation.counts().extra_call_count();
    longest_ns = std::max(longest_ns, operation.histograms().service().max_ns());
  }
  ASSERT_LT(longest_ns, 500'000'000);
  Inside inside;
  for (const WireCall& call : Shared()->calls) {
    if (call.replied_ns != 0) Add(inside, call.replied_ns, longest_ns);
  }
  EXPECT_GE(calls, inside.sure);
  EXPECT_LE(calls, inside.sure + inside.at_edges);
}

TEST_F(WireTest, SharesFollowTheProfile) {
  const v1::LoadPoint& point = Shared()->result.points(0);
  const double count = point.operation_count();
  ASSERT_EQ(point.error_count(), 0);
  ASSERT_EQ(point.operations_size(), 12);
  double target = 0;
  for (const v1::LoadPointOperation& operation : point.operations()) {
    const double share = operation.target_share();
    const double sigma = std::sqrt(count * share * (1 - share));
    EXPECT_NEAR(operation.count(), count * share, 3 * sigma) << operation.name();
    target += share;
  }
  EXPECT_NEAR(target, 1, 1e-9);
}

// Whatever else runs on this machine may come between reading the clock and sending, so one window of three must agree.
TEST_F(WireTest, ServiceTimesAgree) {
  std::string differences;
  for (int window = 1; window <= 3; ++window) {
    if (window > 1) {
      ASSERT_NO_FATAL_FAILURE(Measure());
    }
    ASSERT_NO_FATAL_FAILURE(CompareServiceTimes(differences));
    if (differences.empty()) return;
  }
  ADD_FAILURE() << differences;
}

}  // namespace
}  // namespace crest
