#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "workloads/file_set.h"
#include "workloads/profile_for_test.h"

namespace crest {
namespace {

struct Case {
  double accessed;
  uint32_t files_per_directory;
  uint32_t streams;
  double rate;
};

class FileSetSliceTest : public ::testing::TestWithParam<Case> {
 protected:
  FileSetSliceTest() {
    v1::Workload workload = ProfileForTest("sfs2008-nfs");
    workload.mutable_file_set()->set_accessed(GetParam().accessed);
    workload.mutable_file_set()->set_files_per_directory(GetParam().files_per_directory);
    workload.mutable_file_set()->clear_file_size();
    v1::SizeShare* size = workload.mutable_file_set()->add_file_size();
    size->set_size(500'000);
    size->set_share(1);
    files_ = std::make_unique<FileSet>(*FileSet::Create(workload, 3));
    counts_ = files_->CountsAt(GetParam().rate);
  }
  FileSetSlice Slice(uint32_t stream) const { return {files_.get(), counts_, stream, GetParam().streams}; }

  std::unique_ptr<FileSet> files_;
  FileSetCounts counts_;
};

TEST_P(FileSetSliceTest, SlicesPartTheAccessedFiles) {
  std::set<uint64_t> seen;
  uint64_t total = 0;
  for (uint32_t stream = 0; stream < GetParam().streams; ++stream) {
    const FileSetSlice slice = Slice(stream);
    ASSERT_GT(slice.accessed_count(), 0u);
    total += slice.accessed_count();
    for (uint64_t i = 0; i < slice.accessed_count(); ++i) {
      const uint64_t file = slice.AccessedFile(i);
      ASSERT_TRUE(files_->IsAccessed(file));
      ASSERT_TRUE(slice.Builds({ObjectKind::kFile, file}));
      ASSERT_LT(file, counts_.files);
      seen.insert(file);
    }
  }
  EXPECT_EQ(seen.size(), total) << "a file is owned twice";
  uint64_t accessed = 0;
  for (uint64_t file = 0; file < counts_.files; ++file) accessed += files_->IsAccessed(file);
  EXPECT_EQ(total, accessed);
}

TEST_P(FileSetSliceTest, EveryObjectIsBuiltOnce) {
  std::multiset<uint64_t> built;
  for (uint32_t stream = 0; stream < GetParam().streams; ++stream) {
    const FileSetSlice slice = Slice(stream);
    for (uint64_t i = 0; i < slice.directory_count(); ++i) {
      ASSERT_TRUE(slice.Builds({ObjectKind::kDirectory, slice.Directory(i)}));
      built.insert(ObjectId(ObjectKind::kDirectory, slice.Directory(i)).value);
    }
    ASSERT_GE(slice.non_io_count(), 1u);
    for (uint64_t i = 0; i < slice.non_io_count(); ++i) {
      const ObjectId file(ObjectKind::kNonIoFile, slice.NonIoFile(i));
      ASSERT_LT(file.number(), counts_.non_io_files);
      if (slice.Builds(file)) built.insert(file.value);
    }
    ASSERT_GE(slice.symlink_count(), 1u);
    for (uint64_t i = 0; i < slice.symlink_count(); ++i) {
      const ObjectId link(ObjectKind::kSymlink, slice.Symlink(i));
      ASSERT_LT(link.number(), counts_.symlinks);
      if (slice.Builds(link)) built.insert(link.value);
    }
  }
  EXPECT_EQ(built.size(), counts_.directories + counts_.non_io_files + counts_.symlinks);
  EXPECT_EQ(std::set<uint64_t>(built.begin(), built.end()).size(), built.size());
}

INSTANTIATE_TEST_SUITE_P(Shapes, FileSetSliceTest,
                         ::testing::Values(Case{0.3, 30, 1, 10}, Case{0.3, 30, 64, 0}, Case{0.3, 30, 7, 20},
                                           Case{0.33, 30, 1, 10}, Case{0.33, 30, 64, 0}, Case{0.33, 30, 12, 50},
                                           Case{0.345, 30, 96, 50}, Case{1, 1, 5, 1}, Case{0.5, 3, 48, 2},
                                           Case{1, 30, 13, 30}));

}  // namespace
}  // namespace crest
