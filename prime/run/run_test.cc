#include "prime/run/run.h"

#include <signal.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/fleet/fake_agent.h"
#include "prime/observe/fake_http_server.h"
#include "prime/run/test_spec.h"
#include "results/run_store.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Message = v1::PrimeMessage;

class RunTest : public ::testing::Test {
 protected:
  RunTest()
      : out_(absl::StrCat(::testing::TempDir(), "/crest-run-", getpid())),
        view_([this](absl::string_view text) { progress_.append(text.data(), text.size()); }, &clock_, {}) {
    std::filesystem::remove_all(out_);
  }
  ~RunTest() override { std::filesystem::remove_all(out_); }

  void AddAgent(FakeAgentScript script = {}) { agents_.emplace_back(std::move(script)); }

  RunOutcome RunSteps(const std::vector<double>& rates) {
    std::vector<std::string> addresses;
    for (const FakeAgent& agent : agents_) addresses.push_back(agent.address());
    options_.spec = SmallSpec(rates, addresses);
    for (const int i : observers_) options_.spec.mutable_agents(i)->set_observer(true);
    *options_.spec.mutable_observe() = observe_;
    options_.streams = 64;
    options_.command = "crest run small.yaml";
    options_.out = out_;
    options_.view = &view_;
    options_.write = [this](absl::string_view text) { report_.append(text.data(), text.size()); };
    options_.fleet.lease = absl::Seconds(3);
    options_.fleet.stop_timeout = absl::Seconds(1);
    return crest::Run(options_);
  }

  // An interrupt once the second load point has sent four intervals.
  FakeAgentScript InterruptedInPointTwo() {
    FakeAgentScript script;
    script.on_interval = [this](int sent) {
      if (sent == 3 && agents_[0].Count(Message::kStartPoint) == 2) raise(SIGINT);
      // The load goes on until it is stopped.
      while (sent == 3 && agents_[0].Count(Message::kStartPoint) == 2 && agents_[0].Count(Message::kStopPoint) == 0) {
        usleep(1000);
      }
    };
    return script;
  }

  const std::string out_;
  SimulatedClock clock_;
  std::string progress_;
  std::string report_;
  ProgressView view_;
  std::deque<FakeAgent> agents_;
  RunOptions options_;
  v1::ObserveSpec observe_;
  std::set<int> observers_;  // of the agents, by index
};

TEST_F(RunTest, WholeRunIsSavedJudgedAndReported) {
  AddAgent();
  AddAgent();
  const RunOutcome outcome = RunSteps({256, 512});
  EXPECT_EQ(outcome.exit_code, kExitValid) << progress_ << report_;
  const absl::StatusOr<StoredRun> run = ReadRun(outcome.folder);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->header.command(), "crest run small.yaml");
  EXPECT_EQ(run->header.hosts_size(), 2);
  EXPECT_EQ(run->header.planned_ops_per_sec_size(), 2);
  ASSERT_EQ(run->points.size(), 2u);
  EXPECT_EQ(run->points[1].requested_ops_per_sec(), 512);
  EXPECT_EQ(run->points[1].agents_size(), 2);
  EXPECT_GT(run->points[1].file_set().files(), 0);
  EXPECT_TRUE(std::filesystem::exists(outcome.folder + "/result.json"));
  EXPECT_THAT(report_, HasSubstr(absl::StrCat("report: ", outcome.folder, "/report.html\n")));
  EXPECT_THAT(progress_,
              AllOf(HasSubstr("connecting to 2 agents"), HasSubstr("comparing clocks"), HasSubstr("requested")));
  EXPECT_EQ(agents_[0].Count(Message::kPrepare), 2);
  EXPECT_TRUE(agents_[0].AwaitNoSession());
}

TEST_F(RunTest, FileSetOfTheSameRateIsNotPreparedTwice) {
  AddAgent();
  RunSteps({256, 256, 128});
  EXPECT_EQ(agents_[0].Count(Message::kPrepare), 2);
  EXPECT_EQ(agents_[0].Count(Message::kStartPoint), 3);
}

TEST_F(RunTest, ClocksAreComparedBeforeEachPoint) {
  AddAgent();
  RunSteps({256, 256});
  EXPECT_EQ(agents_[0].Count(Message::kClockProbe), 2 * options_.fleet.clock_probes);
}

TEST_F(RunTest, JsonOnStandardOutputIsNothingElse) {
  AddAgent();
  options_.format = ReportFormat::kJson;
  RunSteps({256});
  EXPECT_THAT(report_, StartsWith("{"));
  EXPECT_EQ(report_.substr(report_.find_last_not_of('\n')), report_.back() == '\n' ? "}\n" : "}");
}

TEST_F(RunTest, EachPointIsOnDiskBeforeTheNextBegins) {
  FakeAgentScript script;
  bool saved = false;
  script.on_interval = [&](int) {
    if (agents_[0].Count(Message::kStartPoint) < 2) return;
    for (const auto& run : std::filesystem::directory_iterator(out_)) {
      if (run.is_directory()) saved = std::filesystem::exists(run.path() / "points" / "01.pb");
    }
  };
  AddAgent(std::move(script));
  RunSteps({256, 512});
  EXPECT_TRUE(saved);
}

TEST_F(RunTest, InterruptKeepsWhatWasMeasured) {
  AddAgent(InterruptedInPointTwo());
  const RunOutcome outcome = RunSteps({256, 512, 768});
  EXPECT_EQ(outcome.exit_code, kExitInterrupted);
  const absl::StatusOr<StoredRun> run = ReadRun(outcome.folder);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->points.size(), 2u);
  EXPECT_FALSE(run->points[0].stopped());
  EXPECT_TRUE(run->points[1].stopped());
  std::ostringstream json;
  json << std::ifstream(outcome.folder + "/result.json").rdbuf();
  EXPECT_THAT(json.str(), HasSubstr("\"status\": \"PARTIAL\""));
  EXPECT_THAT(progress_, HasSubstr("A second Ctrl-C"));
  EXPECT_TRUE(agents_[0].AwaitNoSession());
}

TEST_F(RunTest, InterruptBeforeAnythingWasMeasuredLeavesNothing) {
  FakeAgentScript script{.hold_after_intervals = 0};
  script.on_interval = [](int) { raise(SIGTERM); };
  AddAgent(std::move(script));
  const RunOutcome outcome = RunSteps({256});
  EXPECT_EQ(outcome.exit_code, kExitInterrupted);
  EXPECT_EQ(outcome.folder, "");
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_THAT(report_, IsEmpty());
}

TEST_F(RunTest, LostAgentEndsTheRunWithWhatWasMeasured) {
  AddAgent();
  FakeAgentScript script{.die_after_intervals = 3};
  AddAgent(std::move(script));
  const RunOutcome outcome = RunSteps({256, 512});
  EXPECT_EQ(outcome.exit_code, kExitLost);
  const absl::StatusOr<StoredRun> run = ReadRun(outcome.folder);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->points.size(), 1u);
  EXPECT_TRUE(run->points[0].agents(1).lost());
  EXPECT_THAT(progress_, HasSubstr(absl::StrCat("error: ", agents_[1].address())));
}

TEST_F(RunTest, BusyAgentLeavesNoFolder) {
  AddAgent({.holder = "ann@lab"});
  const RunOutcome outcome = RunSteps({256});
  EXPECT_EQ(outcome.exit_code, kExitLost);
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_THAT(progress_, HasSubstr("ann@lab"));
}

TEST_F(RunTest, MixBeyondTheEngineIsAWrongSpec) {
  AddAgent({.operations = {v1::OPERATION_READ}});
  EXPECT_EQ(RunSteps({256}).exit_code, kExitWrongCall);
}

TEST_F(RunTest, OutputThatCannotBeWrittenIsAWrongCall) {
  std::ofstream(out_) << "a file";
  AddAgent();
  EXPECT_EQ(RunSteps({256}).exit_code, kExitWrongCall);
  EXPECT_EQ(agents_[0].Count(Message::kOpen), 0);
}

TEST_F(RunTest, FullDiskEndsTheRun) {
  FakeAgentScript script;
  script.on_interval = [this](int sent) {
    if (sent != 3 || agents_[0].Count(Message::kStartPoint) != 2) return;
    // A file where the folder for load points was: nothing can be written there any more, even by root.
    for (const auto& run : std::filesystem::directory_iterator(out_)) {
      if (!run.is_directory()) continue;
      std::filesystem::remove_all(run.path() / "points");
      std::ofstream(run.path() / "points") << "x";
    }
  };
  AddAgent(std::move(script));
  const RunOutcome outcome = RunSteps({256, 512, 768});
  EXPECT_EQ(outcome.exit_code, kExitInterrupted);
  EXPECT_EQ(agents_[0].Count(Message::kStartPoint), 2);
}

TEST_F(RunTest, AnObserverStandsBesideTheLoadAndMayBeLost) {
  AddAgent();
  AddAgent();
  AddAgent({.die_after_intervals = 2});
  observers_ = {1, 2};
  const RunOutcome outcome = RunSteps({256, 512});
  EXPECT_EQ(outcome.exit_code, kExitValid) << progress_ << report_;
  const absl::StatusOr<StoredRun> run = ReadRun(outcome.folder);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->points.size(), 2u);
  EXPECT_EQ(run->points[0].agents_size(), 1);
  for (const v1::PointData& point : run->points) {
    ASSERT_EQ(point.observers_size(), 2);
    EXPECT_FALSE(point.observers(0).lost());
    EXPECT_TRUE(point.observers(1).lost());
  }
  EXPECT_THAT(report_, AllOf(HasSubstr("Observer " + agents_[1].address() + ":"), HasSubstr("50.00 % (50.00 %)"),
                             HasSubstr("WARNING observer_lost in load point 2"),
                             HasSubstr("1 of 2 observers lost: " + agents_[2].address())));
}

TEST_F(RunTest, FiguresOfAPrometheusJoinEachPoint) {
  FakeHttpServer prometheus([](const std::string& path) {
    if (absl::StartsWith(path, "/api/v1/query?")) {
      return FakeHttpServer::Answer{
          .body = R"({"status":"success","data":{"resultType":"scalar","result":[1700000000,"1700000000"]}})"};
    }
    if (absl::StrContains(path, "broken")) return FakeHttpServer::Answer{.body = "{"};
    return FakeHttpServer::Answer{
        .body = R"({"status":"success","data":{"resultType":"matrix","result":[{"values":[[1,"2"],[2,"4"]]}]}})"};
  });
  AddAgent();
  observe_.set_prometheus(prometheus.url());
  for (const std::string name : {"good", "broken"}) {
    v1::ObserveQuery& query = *observe_.add_queries();
    query.set_name(name);
    query.set_query(name);
  }
  const RunOutcome outcome = RunSteps({256, 512});
  EXPECT_EQ(outcome.exit_code, kExitValid) << progress_ << report_;
  const absl::StatusOr<StoredRun> run = ReadRun(outcome.folder);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->points.size(), 2u);
  for (const v1::PointData& point : run->points) {
    ASSERT_EQ(point.observed_size(), 2);
    EXPECT_EQ(point.observed(0).mean(), 3);
    EXPECT_THAT(point.observed(1).error(), HasSubstr("no JSON"));
  }
  EXPECT_THAT(report_, AllOf(HasSubstr("3.000 (4.000)"), HasSubstr("WARNING observe_failed in load point 2")));
}

TEST(ExitCodeTest, FollowsTheDesign) {
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), 3);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), 3);
  EXPECT_EQ(ExitCodeOf(absl::PermissionDeniedError("")), 3);
  EXPECT_EQ(ExitCodeOf(absl::CancelledError("")), 4);
}

}  // namespace
}  // namespace crest
