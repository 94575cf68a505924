#include "agent/load/file_set_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "agent/load/memory_engine.h"
#include "agent/load/test_workload.h"

namespace crest {
namespace {

using testing::HasSubstr;

class FileSetBuilderTest : public testing::Test {
 protected:
  FileSetBuilderTest()
      : model_(*WorkloadModel::Create(Workload(), 1)), files_(model_->files()), counts_(files_.CountsAt(1)) {}

  // With a mix that removes, so that every stream has an initial file.
  static v1::Workload Workload() {
    v1::Workload workload = GetattrWorkload(1);
    workload.mutable_mix(0)->set_share(0.8);
    for (const v1::OperationKind kind : {v1::OPERATION_CREATE, v1::OPERATION_REMOVE}) {
      v1::OperationShare& share = *workload.add_mix();
      share.set_operation(kind);
      share.set_share(0.1);
    }
    return workload;
  }

  std::unique_ptr<FileSetBuilder> Make(std::vector<uint32_t> streams, uint32_t stream_count) {
    runner_ = std::make_unique<TaskRunner>(&engine_, &clock_, &stop_);
    progress_ = std::make_unique<BuildProgress>();
    return std::make_unique<FileSetBuilder>(model_.get(), counts_, std::move(streams), stream_count, 8 << 10, &engine_,
                                            runner_.get(), progress_.get());
  }

  size_t CountOf(ObjectKind kind) const {
    size_t count = 0;
    for (const auto& [id, size] : engine_.objects) count += id >> 60 == static_cast<uint64_t>(kind);
    return count;
  }

  SimulatedClock clock_;
  MemoryEngine engine_{&clock_};
  std::atomic<bool> stop_{false};
  std::unique_ptr<const WorkloadModel> model_;
  const FileSet& files_;
  FileSetCounts counts_;
  std::unique_ptr<TaskRunner> runner_;
  std::unique_ptr<BuildProgress> progress_;
};

TEST_F(FileSetBuilderTest, BuildsEveryObjectOnceWithItsSize) {
  const auto builder = Make({0, 1, 2, 3}, 4);
  ASSERT_TRUE(builder->Check().ok());
  EXPECT_EQ(builder->missing_bytes(), static_cast<double>(counts_.files) * (16 << 10));
  EXPECT_TRUE(engine_.objects.empty()) << "checking writes nothing";
  ASSERT_TRUE(builder->Build().ok());
  EXPECT_EQ(CountOf(ObjectKind::kFile), counts_.files);
  EXPECT_EQ(CountOf(ObjectKind::kDirectory), counts_.directories);
  EXPECT_EQ(CountOf(ObjectKind::kNonIoFile), counts_.non_io_files);
  EXPECT_EQ(CountOf(ObjectKind::kSymlink), counts_.symlinks);
  EXPECT_EQ(CountOf(ObjectKind::kMarker), 1u);
  EXPECT_EQ(CountOf(ObjectKind::kCreated), 4u) << "each stream's initial file";
  for (uint64_t file = 0; file < counts_.files; ++file) {
    ASSERT_EQ(engine_.objects[ObjectId(ObjectKind::kFile, file).value], static_cast<int64_t>(files_.FileSize(file)));
  }
  EXPECT_EQ(progress_->files_created, static_cast<int64_t>(counts_.files));
}

TEST_F(FileSetBuilderTest, SharesTogetherMakeTheWholeWhateverTheirNumber) {
  for (const std::vector<uint32_t>& streams : {std::vector<uint32_t>{0, 2}, std::vector<uint32_t>{1}}) {
    const auto builder = Make(streams, 3);
    ASSERT_TRUE(builder->Check().ok());
    ASSERT_TRUE(builder->Build().ok());
  }
  EXPECT_EQ(CountOf(ObjectKind::kFile), counts_.files);
  EXPECT_EQ(CountOf(ObjectKind::kDirectory), counts_.directories);
}

TEST_F(FileSetBuilderTest, ReusesWhatIsThereAndAcceptsWhatAppendsAdded) {
  auto builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  ASSERT_TRUE(builder->Build().ok());
  engine_.objects[ObjectId(ObjectKind::kFile, files_.AccessedFile(0, 0)).value] =
      static_cast<int64_t>(files_.MaxFileSize(files_.AccessedFile(0, 0)));
  engine_.submitted.clear();
  builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  EXPECT_EQ(builder->missing_bytes(), 0);
  ASSERT_TRUE(builder->Build().ok());
  for (const Operation& operation : engine_.submitted) EXPECT_EQ(operation.kind, v1::OPERATION_LOOKUP);
  EXPECT_EQ(progress_->files_reused, static_cast<int64_t>(counts_.files));
}

TEST_F(FileSetBuilderTest, MakesOnlyWhatAPointRemovedWhereTheRestIsKnown) {
  auto builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  ASSERT_TRUE(builder->Build().ok());
  const Operation initial = *OperationStream::InitialFile(*model_, counts_, 0, 1);
  engine_.objects.erase(initial.object.value);
  engine_.submitted.clear();
  builder = Make({0}, 1);
  builder->SkipDirectoriesBelow(counts_.directories);
  ASSERT_TRUE(builder->Check().ok());
  EXPECT_TRUE(engine_.submitted.empty());
  ASSERT_TRUE(builder->Build().ok());
  EXPECT_EQ(engine_.objects.count(initial.object.value), 1u);
  EXPECT_EQ(progress_->files_reused, static_cast<int64_t>(counts_.files));
}

TEST_F(FileSetBuilderTest, RebuildsADirectoryWhoseFilesAreShortOrMissing) {
  auto builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  ASSERT_TRUE(builder->Build().ok());
  const uint64_t short_file = files_.AccessedFile(3, 2);
  engine_.objects[ObjectId(ObjectKind::kFile, short_file).value] = 1;
  engine_.objects.erase(ObjectId(ObjectKind::kFile, 5 * files_.files_per_directory() + 29).value);
  builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  EXPECT_EQ(builder->missing_bytes(), 2.0 * 30 * (16 << 10));
  ASSERT_TRUE(builder->Build().ok());
  EXPECT_EQ(engine_.objects[ObjectId(ObjectKind::kFile, short_file).value], 16 << 10);
  EXPECT_EQ(CountOf(ObjectKind::kFile), counts_.files);
}

TEST_F(FileSetBuilderTest, ATargetThatFillsUpIsLeftAsItWas) {
  int writes = 0;
  engine_.fail = [&writes](const Operation& operation) {
    return operation.kind == v1::OPERATION_WRITE && ++writes > 500 ? kNoSpace : kOk;
  };
  const auto builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  const absl::Status status = builder->Build();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.ToString(), HasSubstr("NO_SPACE"));
  EXPECT_EQ(CountOf(ObjectKind::kFile), 0u);
  EXPECT_EQ(CountOf(ObjectKind::kDirectory), 0u);
}

TEST_F(FileSetBuilderTest, StopsWhenToldTo) {
  const auto builder = Make({0}, 1);
  ASSERT_TRUE(builder->Check().ok());
  engine_.fail = [this](const Operation&) {
    stop_ = true;
    return kOk;
  };
  EXPECT_TRUE(absl::IsCancelled(builder->Build()));
}

TEST_F(FileSetBuilderTest, ATargetThatTakesNothingFailsInBoundedTime) {
  const auto builder = Make({0}, 1);
  engine_.busy = true;
  EXPECT_EQ(builder->Check().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace crest
