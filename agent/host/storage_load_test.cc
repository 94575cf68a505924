#include "agent/host/storage_load.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

namespace fs = std::filesystem;

class StorageLoadTest : public testing::Test {
 protected:
  StorageLoadTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/storage_XXXXXX");
    root_ = mkdtemp(pattern.data());
  }
  ~StorageLoadTest() override { fs::remove_all(root_); }

  void AddDisk(const std::string& name, bool device) const {
    fs::create_directories(root_ + "/sys/block/" + name + (device ? "/device" : ""));
  }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  // A line of /proc/diskstats.
  static std::string Line(const std::string& name, int read_sectors, int written_sectors, int busy_ms) {
    return absl::StrCat("   8       0 ", name, " 10 0 ", read_sectors, " 5 20 0 ", written_sectors, " 7 0 ", busy_ms,
                        " 12 0 0 0 0 0 0\n");
  }
  void WriteArc(int hits, int misses) const {
    Write("proc/spl/kstat/zfs/arcstats",
          absl::StrCat("9 1 0x01 147 39984 1 2\nname type data\nhits 4 ", hits, "\nmisses 4 ", misses,
                       "\ndemand_data_hits 4 77\nc_max 4 99\nsize 4 4096000\n"));
  }

  v1::HostLoad SampleAfter(StorageLoadSampler& sampler, absl::Duration length) {
    clock_.AdvanceTo(clock_.Now() + length);
    v1::HostLoad load;
    sampler.Sample(&load);
    return load;
  }

  std::string root_;
  SimulatedClock clock_;
};

TEST_F(StorageLoadTest, SumsWholeDisksAndNamesTheBusiest) {
  AddDisk("sda", true);
  AddDisk("sdb", true);
  AddDisk("dm-0", false);
  AddDisk("loop0", false);
  const auto others = Line("sda1", 900, 900, 900) + Line("dm-0", 900, 900, 900) + Line("loop0", 900, 900, 900);
  Write("proc/diskstats", Line("sda", 1000, 2000, 500) + Line("sdb", 0, 0, 0));
  StorageLoadSampler sampler(root_, &clock_);
  Write("proc/diskstats", Line("sda", 1200, 2400, 900) + Line("sdb", 100, 0, 1500) + others);
  const v1::HostLoad load = SampleAfter(sampler, absl::Seconds(2));
  EXPECT_EQ(load.disk_read_bytes_per_sec(), 300 * 512 / 2.0);
  EXPECT_EQ(load.disk_write_bytes_per_sec(), 400 * 512 / 2.0);
  EXPECT_EQ(load.disk_busy_ratio(), 0.75);
  EXPECT_FALSE(load.has_arc_size_bytes());
}

TEST_F(StorageLoadTest, CountersThatGoBackAndNewDisksCountAsNothing) {
  AddDisk("sda", true);
  AddDisk("sdb", true);
  Write("proc/diskstats", Line("sda", 1000, 1000, 1000));
  StorageLoadSampler sampler(root_, &clock_);
  Write("proc/diskstats", Line("sda", 10, 10, 10) + Line("sdb", 500, 500, 500));
  const v1::HostLoad load = SampleAfter(sampler, absl::Seconds(1));
  EXPECT_EQ(load.disk_read_bytes_per_sec(), 0);
  EXPECT_EQ(load.disk_write_bytes_per_sec(), 0);
  EXPECT_EQ(load.disk_busy_ratio(), 0);
}

TEST_F(StorageLoadTest, WithoutDevicesTheOtherDisksCount) {
  AddDisk("xvda", false);
  AddDisk("zram0", false);
  Write("proc/diskstats", Line("xvda", 0, 0, 0) + Line("zram0", 0, 0, 0));
  StorageLoadSampler sampler(root_, &clock_);
  Write("proc/diskstats", Line("xvda", 2, 4, 1) + Line("zram0", 2, 4, 1));
  EXPECT_EQ(SampleAfter(sampler, absl::Seconds(1)).disk_read_bytes_per_sec(), 1024);
}

TEST_F(StorageLoadTest, ArcIsTheIntervalsOwn) {
  WriteArc(1000, 100);
  StorageLoadSampler sampler(root_, &clock_);
  WriteArc(1090, 110);
  const v1::HostLoad load = SampleAfter(sampler, absl::Seconds(1));
  EXPECT_EQ(load.arc_hits(), 90);
  EXPECT_EQ(load.arc_misses(), 10);
  EXPECT_EQ(load.arc_size_bytes(), 4096000);
}

TEST_F(StorageLoadTest, StrangeFilesAreNoFigures) {
  AddDisk("sda", true);
  Write("proc/diskstats", "8 0 sda\n\nsda sda sda sda sda sda sda sda sda sda sda sda sda sda\n");
  Write("proc/spl/kstat/zfs/arcstats", "hits\nmisses 4 x y\n");
  StorageLoadSampler sampler(root_, &clock_);
  const v1::HostLoad load = SampleAfter(sampler, absl::Seconds(1));
  EXPECT_EQ(load.disk_read_bytes_per_sec(), 0);
  EXPECT_FALSE(load.has_arc_size_bytes());
}

TEST_F(StorageLoadTest, RunningHostIsRead) {
  StorageLoadSampler sampler;
  v1::HostLoad load;
  sampler.Sample(&load);
  EXPECT_GE(load.disk_busy_ratio(), 0);
  EXPECT_LE(load.disk_busy_ratio(), 1);
}

}  // namespace
}  // namespace crest
