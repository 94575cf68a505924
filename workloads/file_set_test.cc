#include "workloads/file_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "workloads/profile_for_test.h"

namespace crest {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

FileSet Make(const v1::Workload& workload, uint64_t seed = 1) {
  absl::StatusOr<FileSet> files = FileSet::Create(workload, seed);
  EXPECT_TRUE(files.ok()) << files.status();
  return *std::move(files);
}

v1::Workload Sfs2008() { return ProfileForTest("sfs2008-nfs"); }

TEST(FileSetTest, EveryBlockHoldsTheSizesExactly) {
  const v1::Workload workload = Sfs2008();
  const FileSet files = Make(workload);
  const uint64_t block_files = FileSet::kBlockDirectories * files.files_per_directory();
  for (const uint64_t block : {0, 1, 12345}) {
    std::map<double, double> all;
    std::map<double, double> accessed;
    for (uint64_t file = block * block_files; file < (block + 1) * block_files; ++file) {
      const auto size = static_cast<double>(files.FileSize(file));
      ++all[size];
      if (files.IsAccessed(file)) ++accessed[size];
    }
    for (const v1::SizeShare& entry : workload.file_set().file_size()) {
      EXPECT_NEAR(all[entry.size()], entry.share() * 1920, 0.12) << entry.size();
      EXPECT_NEAR(accessed[entry.size()], entry.share() * 576, 0.04) << entry.size();
    }
    EXPECT_EQ(all.size(), static_cast<size_t>(workload.file_set().file_size_size()));
  }
}

TEST(FileSetTest, SizesComeInAnotherOrderInEachBlockAndForEachSeed) {
  const FileSet one = Make(Sfs2008(), 1);
  const FileSet two = Make(Sfs2008(), 2);
  int same_block = 0;
  int same_seed = 0;
  for (uint64_t file = 0; file < 1920; ++file) {
    same_block += one.FileSize(file) == one.FileSize(file + 1920);
    same_seed += one.FileSize(file) == two.FileSize(file);
  }
  // By chance, the sum of the squares of the shares: about one in ten.
  EXPECT_LT(same_block, 300);
  EXPECT_LT(same_seed, 300);
}

TEST(FileSetTest, AccessedFilesAreADrawnSubsetOfEachDirectory) {
  const FileSet files = Make(Sfs2008());
  std::map<uint64_t, int> chosen;
  for (uint64_t directory = 0; directory < 3000; ++directory) {
    ASSERT_EQ(files.AccessedCount(directory), 9u);
    std::set<uint64_t> listed;
    for (uint32_t i = 0; i < 9; ++i) {
      const uint64_t file = files.AccessedFile(directory, i);
      EXPECT_EQ(file / 30, directory);
      EXPECT_EQ(files.FileSize(file), files.AccessedFileSize(directory, i));
      listed.insert(file);
    }
    ASSERT_EQ(listed.size(), 9u);
    for (uint64_t file = directory * 30; file < directory * 30 + 30; ++file) {
      ASSERT_EQ(files.IsAccessed(file), listed.contains(file));
      chosen[file % 30] += files.IsAccessed(file);
    }
  }
  // Each of the 30 places is chosen in 900 of 3,000 directories, standard deviation 25.
  for (const auto& [place, count] : chosen) EXPECT_NEAR(count, 900, 100) << place;
}

TEST(FileSetTest, SharesThatDoNotDivideAreSpreadEvenly) {
  v1::Workload workload = Sfs2008();
  workload.mutable_file_set()->set_accessed(0.33);
  const FileSet files = Make(workload);
  uint64_t sum = 0;
  for (uint64_t directory = 0; directory < FileSet::kBlockDirectories; ++directory) {
    EXPECT_NEAR(files.AccessedCount(directory), 9.9, 0.95);
    EXPECT_EQ(files.AccessedCount(directory), files.AccessedCount(directory + FileSet::kBlockDirectories));
    sum += files.AccessedCount(directory);
  }
  EXPECT_EQ(sum, 634u);  // 0.33 × 1,920, rounded
}

TEST(FileSetTest, AllFilesMayBeAccessed) {
  v1::Workload workload = Sfs2008();
  workload.mutable_file_set()->set_accessed(1);
  const FileSet files = Make(workload);
  for (uint64_t file = 0; file < 1920; ++file) {
    EXPECT_TRUE(files.IsAccessed(file));
    EXPECT_GT(files.FileSize(file), 0u);
  }
}

TEST(FileSetTest, CountsFollowTheRate) {
  const FileSet files = Make(Sfs2008());
  const FileSetCounts counts = files.CountsAt(1000);
  // 120 MiB × 1,000 ÷ (531 KiB × 30) = 7,713.7
  EXPECT_EQ(counts.directories, 7714u);
  EXPECT_EQ(counts.files, 231'420u);
  EXPECT_EQ(counts.non_io_files, 4629u);  // ⌈÷ 50⌉
  EXPECT_EQ(counts.symlinks, 116u);       // ⌈÷ 2,000⌉
  for (const double little : {0.0, -5.0, 1.0, std::nan("")}) {
    EXPECT_EQ(files.CountsAt(little).directories, FileSet::kBlockDirectories) << little;
  }
  for (const double much : {1e30, std::numeric_limits<double>::infinity()}) {
    const FileSetCounts most = files.CountsAt(much);
    EXPECT_EQ(most.directories, uint64_t{1} << 40);
    EXPECT_LT(most.files, uint64_t{1} << 60);
  }
}

TEST(FileSetTest, BytesPerOpRateChangesHowManyAndNothingElse) {
  v1::Workload workload = Sfs2008();
  const FileSet large = Make(workload);
  workload.mutable_file_set()->set_bytes_per_op_rate(1 << 20);
  const FileSet little = Make(workload);
  EXPECT_EQ(large.root_name(), little.root_name());
  EXPECT_LT(little.CountsAt(1e5).files, large.CountsAt(1e5).files / 100);
  for (uint64_t file = 0; file < 5000; ++file) ASSERT_EQ(large.FileSize(file), little.FileSize(file));
}

TEST(FileSetTest, RootNameTellsSeedsAndLayoutsApart) {
  v1::Workload workload = Sfs2008();
  std::set<std::string> names{Make(workload, 1).root_name(), Make(workload, 2).root_name()};
  workload.mutable_file_set()->set_accessed(0.2);
  names.insert(Make(workload).root_name());
  workload.mutable_file_set()->set_files_per_directory(40);
  names.insert(Make(workload).root_name());
  workload.mutable_file_set()->set_io_files_per_non_io_file(51);
  names.insert(Make(workload).root_name());
  workload.mutable_file_set()->set_io_files_per_symlink(51);
  names.insert(Make(workload).root_name());
  workload.mutable_file_set()->mutable_file_size(3)->set_size(12345);
  names.insert(Make(workload).root_name());
  EXPECT_EQ(names.size(), 7u);
  for (const std::string& name : names) EXPECT_THAT(name, MatchesRegex("crest-sfs2008-nfs-[0-9a-f]{16}"));
}

TEST(FileSetTest, ANameFromOutsideCannotLeaveTheDirectory) {
  v1::Workload workload = Sfs2008();
  workload.set_name("../../etc/passwd\n\xff");
  EXPECT_THAT(Make(workload).root_name(), Not(HasSubstr("/")));
  EXPECT_THAT(Make(workload).root_name(), Not(HasSubstr(".")));
}

TEST(FileSetTest, PlacesAndNames) {
  const FileSet files = Make(Sfs2008());
  const auto parent = [&](ObjectKind kind, uint64_t number) { return files.ParentOf({kind, number}); };
  EXPECT_EQ(parent(ObjectKind::kDirectory, 511), ObjectId(ObjectKind::kGroup, 0));
  EXPECT_EQ(parent(ObjectKind::kDirectory, 512), ObjectId(ObjectKind::kGroup, 1));
  EXPECT_EQ(parent(ObjectKind::kGroup, 7), ObjectId(ObjectKind::kRoot, 0));
  EXPECT_EQ(parent(ObjectKind::kMarker, 0), ObjectId(ObjectKind::kRoot, 0));
  EXPECT_EQ(parent(ObjectKind::kFile, 59), ObjectId(ObjectKind::kDirectory, 1));
  EXPECT_EQ(parent(ObjectKind::kNonIoFile, 3), ObjectId(ObjectKind::kDirectory, 5));  // 150 ÷ 30
  EXPECT_EQ(parent(ObjectKind::kSymlink, 2), ObjectId(ObjectKind::kDirectory, 133));  // 4,000 ÷ 30
  // The link's target is in the link's directory.
  EXPECT_EQ(files.LinkTarget(2), files.NameOf({ObjectKind::kFile, 4000}));
  EXPECT_EQ(parent(ObjectKind::kFile, 4000), parent(ObjectKind::kSymlink, 2));

  EXPECT_EQ(files.NameOf({ObjectKind::kRoot, 0}), files.root_name());
  EXPECT_EQ(files.NameOf({ObjectKind::kGroup, 1}), "g0001");
  EXPECT_EQ(files.NameOf({ObjectKind::kDirectory, 26}), "d00001a");
  EXPECT_EQ(files.NameOf({ObjectKind::kFile, 0x12ab}), "f0012ab");
  EXPECT_EQ(files.NameOf({ObjectKind::kNonIoFile, 1}), "n000001");
  EXPECT_EQ(files.NameOf({ObjectKind::kSymlink, 1}), "l000001");
  EXPECT_EQ(files.NameOf({ObjectKind::kCreated, 0x123}), "c000000000000123");
  EXPECT_EQ(files.NameOf({ObjectKind::kMarker, 0}), ".crest");
}

TEST(FileSetTest, MaxFileSizeIsATenthMore) {
  const FileSet files = Make(Sfs2008());
  for (uint64_t file = 0; file < 1920; ++file) {
    EXPECT_EQ(files.MaxFileSize(file), files.FileSize(file) * 11 / 10);
  }
}

// A change here makes every file set that was built before unusable: raise the layout version with it.
TEST(FileSetTest, LayoutIsPinned) {
  const FileSet files = Make(Sfs2008());
  std::vector<uint64_t> sizes;
  for (const uint64_t file : {0, 1, 2, 3, 29, 30, 1919, 1920, 1'000'000}) sizes.push_back(files.FileSize(file) / 1024);
  EXPECT_THAT(sizes, ::testing::ElementsAre(8, 2, 8, 8, 64, 1024, 128, 32, 8));
  std::vector<uint64_t> accessed;
  for (uint32_t i = 0; i < 9; ++i) accessed.push_back(files.AccessedFile(1000, i) - 30'000);
  EXPECT_THAT(accessed, ::testing::ElementsAre(13, 14, 3, 24, 25, 9, 1, 11, 28));
  EXPECT_EQ(files.root_name(), "crest-sfs2008-nfs-e848e861e749a9a1");
}

}  // namespace
}  // namespace crest
