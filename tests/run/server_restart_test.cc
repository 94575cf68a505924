// The server dies and comes back in the middle of a load point.
#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Not;

class ServerRestart : public RunFixture {};

double ErrorCount(const v1::LoadPoint& point, const std::string& name) {
  double count = 0;
  for (const v1::LoadPointOperation& operation : point.operations()) {
    for (const v1::LoadPointError& error : operation.errors()) count += error.name() == name ? error.count() : 0;
  }
  return count;
}

TEST_F(ServerRestart, RunGoesOnAndTheLoadPointTellsIt) {
  StartServer();
  const std::string spec = WriteSpec({.target = server_->Url(),
                                      .agents = {StartAgent({server_->Url()})},
                                      .load = "{plan: steps, rates: [100, 110, 90], warmup: 1s, measure: 4s, "
                                              "streams: 4}"});
  Program crest(RunWords(spec), folder_.path());
  ASSERT_TRUE(crest.WaitForText("point 2 of 3 measuring", absl::Seconds(60))) << crest.err();
  // Stands still first, so that calls are under way when it dies.
  server_->Pause();
  absl::SleepFor(absl::Milliseconds(300));
  ASSERT_TRUE(server_->Restart().ok());
  const Ended run = crest.Wait();
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err;

  ASSERT_EQ(RunFolders().size(), 1u);
  const v1::RunResult result = ReadResult(RunFolders()[0]);
  EXPECT_EQ(result.status(), v1::COMPLETE);
  ASSERT_EQ(result.points_size(), 3);
  const v1::LoadPoint& hit = result.points(1);
  EXPECT_GE(ErrorCount(hit, "CONNECTION_LOST"), 1);
  EXPECT_GE(hit.error_count(), ErrorCount(hit, "CONNECTION_LOST"));
  EXPECT_GE(hit.reconnect_count(), 1);
  EXPECT_THAT(Codes(hit.findings()), Contains("reconnected"));
  EXPECT_GT(hit.operation_count(), 200) << "the load did not go on";
  for (const int other : {0, 2}) {
    const v1::LoadPoint& point = result.points(other);
    EXPECT_EQ(point.error_count(), 0);
    EXPECT_EQ(point.reconnect_count(), 0);
    EXPECT_EQ(point.measured_seconds(), 4);
    EXPECT_THAT(Codes(point.findings()), Not(Contains("reconnected")));
    EXPECT_NEAR(point.achieved_ops_per_sec(), point.requested_ops_per_sec(), 0.05 * point.requested_ops_per_sec());
  }
}

}  // namespace
}  // namespace crest
