#include "prime/run/point_plan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/run/test_spec.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

TEST(PointPlanTest, WarmupHoldsTwoIntervalsOfAStream) {
  v1::LoadSpec load;
  load.mutable_warmup()->set_seconds(5);
  EXPECT_EQ(WarmupFor(load, 64, 1000), absl::Seconds(5));
  EXPECT_EQ(WarmupFor(load, 64, 12.8), absl::Seconds(10));
}

TEST(PointPlanTest, FileSetIsThatOfTheRate) {
  const v1::Workload workload = SmallWorkload();
  const absl::StatusOr<FileSet> files = FileSet::Create(workload, 1);
  ASSERT_TRUE(files.ok()) << files.status();
  v1::Prepared prepared;
  prepared.set_bytes_total(1000);
  const v1::FileSetData data = FileSetFor(*files, 100, prepared);
  EXPECT_EQ(data.directories(), static_cast<double>(FileSet::kBlockDirectories));
  EXPECT_EQ(data.files(), static_cast<double>(FileSet::kBlockDirectories * files->files_per_directory()));
  EXPECT_NEAR(data.files_accessed() / data.files(), workload.file_set().accessed(), 0.01);
  EXPECT_EQ(data.bytes_total(), 1000);
}

TEST(PointPlanTest, GreatestRateMustFitTheBound) {
  v1::Workload workload = SmallWorkload();
  const absl::StatusOr<FileSet> files = FileSet::Create(workload, 1);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(CheckFileSetBound(workload, *files, {1e6}).ok());
  const double bytes = static_cast<double>(files->CountsAt(1e6).files) * files->mean_file_size();
  workload.mutable_file_set()->set_max_bytes(bytes);
  EXPECT_TRUE(CheckFileSetBound(workload, *files, {1e6, 10}).ok());
  workload.mutable_file_set()->set_max_bytes(bytes - 1);
  const absl::Status status = CheckFileSetBound(workload, *files, {10, 1e6, 10});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("file_set.max_bytes"));
}

}  // namespace
}  // namespace crest
