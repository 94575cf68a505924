// Names of exports that trip up programs, from the spec over the agent to the server.
#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AnyOf;
using ::testing::SizeIs;

class ExportNames : public RunFixture, public testing::WithParamInterface<const char*> {};

TEST_P(ExportNames, GoThroughTheWholeChain) {
  StartServer({.export_name = GetParam()});
  const std::string spec = WriteSpec({.target = server_->Url(),
                                      .agents = {StartAgent({server_->Url()})},
                                      .load = "{plan: steps, rates: [100], warmup: 1s, measure: 1s, streams: 4}"});
  const Ended run = Crest(spec);
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err;
  ASSERT_THAT(RunFolders(), SizeIs(1));
  const v1::RunResult result = ReadResult(RunFolders()[0]);
  ASSERT_EQ(result.points_size(), 1);
  EXPECT_GT(result.points(0).operation_count(), 50);
  EXPECT_EQ(result.points(0).error_count(), 0);
  ASSERT_EQ(result.spec().target_size(), 1);
  EXPECT_EQ(result.spec().target(0), server_->Url());
  EXPECT_GT(Listing(server_->directory()).size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Names, ExportNames,
                         testing::Values("with space", "C: drive:2049", "Büro 測定 Ж", "[x] it's, 100 &"));

}  // namespace
}  // namespace crest
