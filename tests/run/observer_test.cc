// Agents that send no load and tell what their host does.
#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Observer : public RunFixture {
 protected:
  void SetUp() override {}  // the server is simulated

  std::string WriteObservedSpec(const std::string& agents) const {
    return WriteSpec({.target = "sim://?servers=8&service_time=1ms",
                      .load = "{plan: steps, rates: [200, 300], warmup: 1s, measure: 3s, streams: 8}",
                      .more = "agents: " + agents});
  }

  static const v1::ObservedFigure* Find(const v1::LoadPoint& point, const std::string& name) {
    for (const v1::ObservedFigure& figure : point.observed()) {
      if (figure.name() == name) return &figure;
    }
    return nullptr;
  }
};

TEST_F(Observer, ItsHostStandsBesideTheLoadOfTheRunsOwnAgent) {
  const std::string observer = StartAgent({});
  const std::string spec = WriteObservedSpec("[{address: \"" + observer + "\", observer: true}]");
  const Ended check = RunProgram({CrestProgram(), "check", spec});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, AllOf(HasSubstr("this host"), HasSubstr("free, observer")));

  const Ended run = Crest(spec);
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err << run.out;
  const v1::RunResult result = ReadResult(RunFolders().at(0));
  ASSERT_EQ(result.points_size(), 2);
  for (const v1::LoadPoint& point : result.points()) {
    ASSERT_EQ(point.agents_size(), 1);
    EXPECT_EQ(point.agents(0).address(), "this host");
    const v1::ObservedFigure* const cpu = Find(point, observer + " cpu_busy_ratio");
    ASSERT_NE(cpu, nullptr);
    EXPECT_GT(cpu->mean(), 0);
    EXPECT_LE(cpu->max(), 1);
    EXPECT_NE(Find(point, observer + " disk_write_bytes_per_sec"), nullptr);
    EXPECT_THAT(Codes(point.findings()), Not(Contains("observer_lost")));
  }
  EXPECT_EQ(result.hosts_size(), 2);
  EXPECT_THAT(run.out, HasSubstr("Observer " + observer + ":"));
  EXPECT_THAT(ReadWholeFile(RunFolders()[0] + "/curve.csv"),
              HasSubstr("observed_" + observer + " cpu_busy_ratio_mean"));
}

TEST_F(Observer, ARunGoesOnWithoutOneThatDies) {
  const std::string load = StartAgent({});
  const std::string observer = StartAgent({});
  const std::string spec = WriteObservedSpec("[\"" + load + "\", {address: \"" + observer + "\", observer: true}]");
  Program crest(RunWords(spec), folder_.path());
  ASSERT_TRUE(crest.WaitForText("point 2 of 2", absl::Seconds(60))) << crest.err();
  agents_.back()->Signal(SIGKILL);
  const Ended run = crest.Wait();
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err;
  const v1::RunResult result = ReadResult(RunFolders().at(0));
  EXPECT_EQ(result.status(), v1::COMPLETE);
  ASSERT_EQ(result.points_size(), 2);
  EXPECT_THAT(Codes(result.points(0).findings()), Not(Contains("observer_lost")));
  EXPECT_THAT(Codes(result.points(1).findings()), Contains("observer_lost"));
  EXPECT_THAT(Codes(result.points(1).findings()), Not(Contains("agent_lost")));
}

TEST_F(Observer, OneThatCannotBeReachedEndsTheRunBeforeItsLoad) {
  const std::string spec = WriteObservedSpec("[{address: \"127.0.0.1:1\", observer: true}]");
  const Ended run = Crest(spec);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("127.0.0.1:1"));
  EXPECT_TRUE(RunFolders().empty());
}

}  // namespace
}  // namespace crest
