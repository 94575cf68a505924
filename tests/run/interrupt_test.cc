// Ctrl-C, and the end of crest itself: the load stops, what was measured is kept, nothing is left behind.
#include <signal.h>

#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "tests/run/run_fixture.h"
#include "tests/servers/fault_relay.h"

namespace crest {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Interrupt : public RunFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    if (IsSkipped()) return;
    StartServer();
    relay_ = std::make_unique<FaultRelay>(server_->nfs_port());
    url_ = absl::StrCat("nfs://127.0.0.1", server_->directory(), "?nfsport=", relay_->port(),
                        "&mountport=", server_->mount_port());
  }

  std::string Spec(const std::vector<std::string>& agents) const {
    return WriteSpec({.target = url_,
                      .agents = agents,
                      .load = "{plan: steps, rates: [100, 200], warmup: 1s, measure: 60s, streams: 4}"});
  }

  // Calls that the server's side has seen.
  int64_t Seen() const {
    const std::vector<int64_t> seen = relay_->Seen();
    return std::accumulate(seen.begin(), seen.end(), int64_t{0});
  }

  void ExpectSilence() const {
    const int64_t before = Seen();
    absl::SleepFor(absl::Seconds(1));
    EXPECT_EQ(Seen(), before);
  }

  // Processes that `parent` has started and not ended.
  static std::vector<pid_t> Children(pid_t parent) {
    std::vector<pid_t> children;
    for (const auto& task : std::filesystem::directory_iterator(absl::StrCat("/proc/", parent, "/task"))) {
      std::ifstream file(task.path() / "children");
      for (pid_t child = 0; file >> child;) children.push_back(child);
    }
    return children;
  }

  static bool Exists(pid_t pid) {
    const std::string state = ReadWholeFile(absl::StrCat("/proc/", pid, "/stat"));
    return !state.empty() && !absl::StrContains(state, ") Z ");
  }

  std::unique_ptr<FaultRelay> relay_;
  std::string url_;
};

// A run that starts its own agent, with a folder for its temporary files that the test can look into.
class OwnAgent : public Interrupt {
 protected:
  void SetUp() override {
    Interrupt::SetUp();
    if (IsSkipped()) return;
    std::vector<std::string> words = {"/usr/bin/env", "-u", "XDG_RUNTIME_DIR", "TMPDIR=" + temporary_.path()};
    for (const std::string& word : RunWords(Spec({}))) words.push_back(word);
    crest_ = std::make_unique<Program>(words, folder_.path());
    ASSERT_TRUE(crest_->WaitForText("point 1 of 2 measuring", absl::Seconds(60))) << crest_->err();
    const std::vector<pid_t> children = Children(crest_->pid());
    ASSERT_EQ(children.size(), 1u);
    agent_ = children[0];
    ASSERT_FALSE(std::filesystem::is_empty(temporary_.path()));
  }

  void ExpectNothingLeft() const {
    EXPECT_TRUE(Eventually(absl::Seconds(5), [&] { return !Exists(agent_); }));
    EXPECT_TRUE(Eventually(absl::Seconds(1), [&] { return std::filesystem::is_empty(temporary_.path()); }));
    ExpectSilence();
  }

  TemporaryDirectory temporary_;
  std::unique_ptr<Program> crest_;
  pid_t agent_ = -1;
};

TEST_F(Interrupt, StopsTheLoadAndKeepsWhatWasMeasured) {
  Program crest(RunWords(Spec({StartAgent({url_})})), folder_.path());
  ASSERT_TRUE(crest.WaitForText("point 1 of 2 measuring", absl::Seconds(60))) << crest.err();
  absl::SleepFor(absl::Milliseconds(1500));
  const int64_t before = Seen();
  absl::SleepFor(absl::Milliseconds(500));
  EXPECT_GT(Seen(), before) << "there was no load to stop";
  crest.Signal(SIGINT);
  absl::SleepFor(absl::Seconds(2));
  ExpectSilence();
  const Ended run = crest.Wait();
  EXPECT_EQ(run.exit_code, 4) << run.err;

  ASSERT_EQ(RunFolders().size(), 1u);
  const std::string folder = RunFolders()[0];
  const v1::RunResult result = ReadResult(folder);
  EXPECT_EQ(result.status(), v1::PARTIAL);
  ASSERT_EQ(result.points_size(), 1);
  const v1::LoadPoint& point = result.points(0);
  EXPECT_THAT(Codes(point.findings()), Contains("interrupted"));
  EXPECT_FALSE(point.valid());
  EXPECT_GT(point.measured_seconds(), 1);
  EXPECT_LT(point.measured_seconds(), 30);
  EXPECT_NEAR(point.operation_count() / point.measured_seconds(), 100, 20);
  EXPECT_TRUE(ReadPoint(folder, 1).stopped());

  const Ended report = RunProgram({CrestProgram(), "report", folder}, folder_.path());
  EXPECT_THAT(report.exit_code, AnyOf(0, 1)) << report.err;
  EXPECT_THAT(report.out, HasSubstr("interrupted"));
  EXPECT_THAT(report.err, IsEmpty());
}

TEST_F(Interrupt, BeforeAnythingWasMeasuredKeepsNoResult) {
  Program crest(RunWords(Spec({StartAgent({url_})})), folder_.path());
  ASSERT_TRUE(crest.WaitForText("preparing the file set", absl::Seconds(60))) << crest.err();
  crest.Signal(SIGINT);
  const Ended run = crest.Wait(absl::Seconds(5));
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("nothing was measured"));
  EXPECT_FALSE(std::filesystem::exists(runs()));
  ExpectSilence();
}

TEST_F(Interrupt, LostAgentStopsTheOthersAndIsTold) {
  const std::vector<std::string> agents = {StartAgent({url_}), StartAgent({url_})};
  Program crest(RunWords(Spec(agents)), folder_.path());
  ASSERT_TRUE(crest.WaitForText("point 1 of 2 measuring", absl::Seconds(60))) << crest.err();
  absl::SleepFor(absl::Milliseconds(1500));
  agents_[1]->Signal(SIGKILL);
  absl::SleepFor(absl::Seconds(2));
  ExpectSilence();
  const Ended run = crest.Wait(absl::Seconds(20));
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr(agents[1]));

  ASSERT_EQ(RunFolders().size(), 1u);
  const v1::RunResult result = ReadResult(RunFolders()[0]);
  EXPECT_EQ(result.status(), v1::PARTIAL);
  EXPECT_THAT(result.status_reason(), HasSubstr(agents[1]));
  ASSERT_EQ(result.points_size(), 1);
  const v1::LoadPoint& point = result.points(0);
  EXPECT_FALSE(point.valid());
  EXPECT_THAT(Codes(point.findings()), Contains("agent_lost"));
  ASSERT_EQ(point.agents_size(), 2);
  EXPECT_FALSE(point.agents(0).lost());
  EXPECT_TRUE(point.agents(1).lost());
  EXPECT_NEAR(point.agents(0).achieved_ops_per_sec(), 50, 10);
}

TEST_F(Interrupt, AgentIsFreeForTheNextRun) {
  const std::string agent = StartAgent({url_});
  {
    Program crest(RunWords(Spec({agent})), folder_.path());
    ASSERT_TRUE(crest.WaitForText("point 1 of 2 measuring", absl::Seconds(60))) << crest.err();
    crest.Signal(SIGKILL);
    EXPECT_EQ(crest.Wait().exit_code, 128 + SIGKILL);
  }
  absl::SleepFor(absl::Seconds(2));
  ExpectSilence();
  const std::string spec = WriteSpec({.name = "next", .target = url_, .agents = {agent}});
  const Ended next = Crest(spec);
  EXPECT_THAT(next.exit_code, AnyOf(0, 1)) << next.err;
}

TEST_F(OwnAgent, EndsWithAnInterruptedRun) {
  crest_->Signal(SIGINT);
  EXPECT_EQ(crest_->Wait().exit_code, 4);
  ExpectNothingLeft();
}

TEST_F(OwnAgent, EndsWithACrestThatIsKilled) {
  crest_->Signal(SIGKILL);
  EXPECT_EQ(crest_->Wait().exit_code, 128 + SIGKILL);
  ExpectNothingLeft();
}

TEST_F(OwnAgent, EndsAtASecondInterrupt) {
  server_->Pause();
  crest_->Signal(SIGINT);
  absl::SleepFor(absl::Milliseconds(300));
  crest_->Signal(SIGINT);
  EXPECT_EQ(crest_->Wait(absl::Seconds(5)).exit_code, 4);
  ExpectNothingLeft();
}

}  // namespace
}  // namespace crest
