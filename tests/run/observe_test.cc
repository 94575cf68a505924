// Figures of the system under test, from a real Prometheus that scrapes a real agent.
#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kSimulated[] = "sim://?servers=8&service_time=1ms";
// Three seconds at 200 and at 400 operations a second; a figure of the second point shows that its window was asked
// for.
constexpr char kSteps[] = "{plan: steps, rates: [200, 400], warmup: 2s, measure: 3s, streams: 8}";

class Observe : public RunFixture {
 protected:
  void SetUp() override {}  // needs no server but Prometheus

  // An agent with metrics, and a Prometheus that scrapes it every half second.
  void StartAll() {
    const std::string metrics = absl::StrCat("127.0.0.1:", FreePort());
    agent_ = absl::StrCat("127.0.0.1:", FreePort());
    agents_.push_back(
        std::make_unique<Program>(std::vector<std::string>{AgentProgram(), "--listen", agent_, "--metrics", metrics}));
    ASSERT_TRUE(agents_.back()->WaitForText("listening on", absl::Seconds(20))) << agents_.back()->err();

    const std::string config = folder_.path() + "/prometheus.yml";
    std::ofstream(config) << "global: {scrape_interval: 500ms, scrape_timeout: 500ms}\n"
                          << "scrape_configs: [{job_name: agent, static_configs: [{targets: ['" << metrics
                          << "']}]}]\n";
    const std::string address = absl::StrCat("127.0.0.1:", FreePort());
    url_ = "http://" + address;
    prometheus_ = std::make_unique<Program>(std::vector<std::string>{
        "/usr/bin/prometheus", "--config.file=" + config, absl::StrCat("--storage.tsdb.path=", folder_.path(), "/data"),
        "--web.listen-address=" + address});
    ASSERT_TRUE(prometheus_->WaitForText("Server is ready to receive web requests", absl::Seconds(30)))
        << prometheus_->err();
  }

  std::string WriteObservedSpec(const std::string& queries) {
    return WriteSpec({.target = kSimulated,
                      .agents = {agent_},
                      .load = kSteps,
                      .more = absl::StrCat("observe: {prometheus: \"", url_, "\", queries: ", queries, "}")});
  }

  std::string agent_;
  std::string url_;
  std::unique_ptr<Program> prometheus_;
};

TEST_F(Observe, FiguresOfTheWindowStandBesideEachPoint) {
  StartAll();
  const Ended run =
      Crest(WriteObservedSpec("{rate: 'sum(crest_requested_operations_per_second)', up: up, two: 'up or vector(1)', "
                              "bad: 'sum(', none: absent_metric}"));
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err << run.out;
  ASSERT_THAT(RunFolders(), SizeIs(1));
  const v1::RunResult result = ReadResult(RunFolders()[0]);
  ASSERT_EQ(result.points_size(), 2);
  for (const v1::LoadPoint& point : result.points()) {
    ASSERT_EQ(point.observed_size(), 5);
    const v1::ObservedFigure& rate = point.observed(0);
    EXPECT_EQ(rate.name(), "rate");
    EXPECT_THAT(rate.error(), IsEmpty());
    // A gauge of this very window: between and before the points it is 0.
    EXPECT_EQ(rate.mean(), point.requested_ops_per_sec());
    EXPECT_EQ(rate.max(), point.requested_ops_per_sec());
    EXPECT_EQ(point.observed(1).mean(), 1);
    EXPECT_THAT(point.observed(2).error(), HasSubstr("2 series"));
    EXPECT_THAT(point.observed(3).error(), HasSubstr("parse error"));
    EXPECT_THAT(point.observed(4).error(), HasSubstr("no data"));
    EXPECT_THAT(Codes(point.findings()), Contains("observe_failed"));
  }
  EXPECT_THAT(run.out, AllOf(HasSubstr("Server side"), HasSubstr("WARNING observe_failed")));
  EXPECT_THAT(ReadWholeFile(RunFolders()[0] + "/curve.csv"), HasSubstr(",observed_rate_mean,observed_rate_max,"));
  EXPECT_THAT(ReadWholeFile(RunFolders()[0] + "/report.html"), HasSubstr("sum(crest_requested_operations_per_second)"));
}

TEST_F(Observe, ARunOutlivesItsPrometheus) {
  StartAll();
  Program crest(RunWords(WriteObservedSpec("{up: up}")), folder_.path());
  ASSERT_TRUE(crest.WaitForText("point 2 of 2", absl::Seconds(60))) << crest.err();
  prometheus_->Signal(SIGSTOP);  // reached and silent: the worst case
  const absl::Time before = absl::Now();
  const Ended run = crest.Wait();
  EXPECT_LT(absl::Now() - before, absl::Seconds(30));
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err;
  const v1::RunResult result = ReadResult(RunFolders().at(0));
  EXPECT_EQ(result.status(), v1::COMPLETE);
  ASSERT_EQ(result.points_size(), 2);
  EXPECT_THAT(Codes(result.points(0).findings()), Not(Contains("observe_failed")));
  EXPECT_THAT(Codes(result.points(1).findings()), Contains("observe_failed"));
  EXPECT_THAT(result.points(1).observed(0).error(), HasSubstr("no answer"));
}

TEST_F(Observe, BadUrlsAreRefusedBeforeAnythingRuns) {
  url_ = "ftp://monitor";
  agent_ = "127.0.0.1:1";
  const Ended run = Crest(WriteObservedSpec("{up: up}"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("only http and https"));
}

}  // namespace
}  // namespace crest
