#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/host/host_info.h"
#include "agent/host/host_load.h"
#include "base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

namespace fs = std::filesystem;
using ::testing::DoubleNear;
using ::testing::IsEmpty;

// A host's files in a folder that goes when the test ends.
class Sample {
 public:
  Sample() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/host_XXXXXX");
    root_ = mkdtemp(pattern.data());
  }
  ~Sample() { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
  }
  void Link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    fs::create_symlink(target, root_ + "/" + path);
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

void WriteEsxGuest(Sample& host) {
  host.Write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz\nflags\t\t: fpu vme hypervisor "
             "lahf_lm\n\n"
             "processor\t: 1\nmodel name\t: Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz\nflags\t\t: fpu vme hypervisor "
             "lahf_lm\n");
  host.Write("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:   8192 kB\n");
  host.Write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  host.Write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  host.Write("proc/sys/kernel/hostname", "client7\n");
  host.Write("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
  host.Write("sys/class/dmi/id/product_name", "VMware7,1\n");
  host.Write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  host.Write("sys/class/net/lo/mtu", "65536\n");
  host.Write("sys/class/net/ens192/mtu", "9000\n");
  host.Write("sys/class/net/ens192/speed", "10000\n");
  host.Link("sys/class/net/ens192/device/driver", "../../../bus/pci/drivers/vmxnet3");
  host.Write("sys/class/net/br0/mtu", "1500\n");
  host.Write("sys/class/net/br0/speed", "-1\n");
  host.Write("sys/class/net/bonding_masters", "bond0\n");
  host.Write("sys/block/sda/size", "2097152\n");
  host.Write("sys/block/sda/queue/scheduler", "none [mq-deadline]\n");
  host.Write("sys/block/sda/queue/read_ahead_kb", "128\n");
  host.Write("sys/block/sda/queue/rotational", "1\n");
  host.Write("sys/block/sda/queue/nr_requests", "256\n");
  host.Write("sys/block/sda/device/queue_depth", "254\n");
  host.Link("sys/block/sda/device/driver", "../../bus/scsi/drivers/sd");
  host.Write("sys/block/loop0/size", "0\n");
  host.Write("proc/self/mountinfo",
             "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
             "27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw,discard\n"
             "40 27 0:50 / /mnt/my\\040data\\134x rw,noatime - nfs filer:/export/my\\040data rw,vers=3,rsize=65536\n"
             "41 27 0:51 / /run rw - tmpfs tmpfs rw\n"
             "42 27 0:52 / /tank rw - zfs tank/bench rw,xattr\n"
             "43 27 0:53 - ext4\n");
}

TEST(HostInfoTest, EsxGuest) {
  Sample host;
  WriteEsxGuest(host);
  const v1::HostInfo info = ReadHostInfo(host.root());
  EXPECT_EQ(info.cpu_model(), "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz");
  EXPECT_EQ(info.cpu_count(), 2);
  EXPECT_EQ(info.memory_bytes(), 16384.0 * 1024);
  EXPECT_EQ(info.os(), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(info.kernel(), "6.1.0-18-amd64");
  EXPECT_EQ(info.host_name(), "client7");
  EXPECT_EQ(info.hypervisor(), "vmware");
  EXPECT_EQ(info.hypervisor_evidence(), "/sys/class/dmi/id/sys_vendor: VMware, Inc.");
  EXPECT_EQ(info.dmi(), "VMware, Inc. VMware7,1");
  EXPECT_EQ(info.clock_source(), "tsc");
}

TEST(HostInfoTest, SaysWhyIoUringIsOff) {
  Sample host;
  WriteEsxGuest(host);
  EXPECT_EQ(ReadHostInfo(host.root()).io_uring_off(), "");
  host.Write("proc/sys/kernel/io_uring_disabled", "2\n");
  EXPECT_EQ(ReadHostInfo(host.root()).io_uring_off(), "sysctl kernel.io_uring_disabled is 2");
}

TEST(HostInfoTest, NicsAndBlockDevices) {
  Sample host;
  WriteEsxGuest(host);
  const v1::HostInfo info = ReadHostInfo(host.root());
  ASSERT_EQ(info.nics_size(), 3);
  EXPECT_EQ(info.nics(0).name(), "br0");
  EXPECT_FALSE(info.nics(0).physical());
  EXPECT_EQ(info.nics(0).speed_bits_per_sec(), 0);
  EXPECT_EQ(info.nics(1).name(), "ens192");
  EXPECT_TRUE(info.nics(1).physical());
  EXPECT_EQ(info.nics(1).driver(), "vmxnet3");
  EXPECT_EQ(info.nics(1).speed_bits_per_sec(), 10e9);
  EXPECT_EQ(info.nics(1).mtu(), 9000);
  ASSERT_EQ(info.block_devices_size(), 1);
  EXPECT_EQ(info.block_devices(0).driver(), "sd");
  EXPECT_EQ(info.block_devices(0).scheduler(), "mq-deadline");
  EXPECT_EQ(info.block_devices(0).queue_depth(), 254);
  EXPECT_EQ(info.block_devices(0).size_bytes(), 1024.0 * 1024 * 1024);
  EXPECT_TRUE(info.block_devices(0).rotational());
}

TEST(HostInfoTest, MountsArePlainTextAndNoPseudoFileSystems) {
  Sample host;
  WriteEsxGuest(host);
  const v1::HostInfo info = ReadHostInfo(host.root());
  ASSERT_EQ(info.mounts_size(), 3);
  EXPECT_EQ(info.mounts(0).type(), "ext4");
  EXPECT_EQ(info.mounts(0).options(), "rw,relatime,rw,discard");
  EXPECT_EQ(info.mounts(1).path(), "/mnt/my data\\x");
  EXPECT_EQ(info.mounts(1).source(), "filer:/export/my data");
  EXPECT_EQ(info.mounts(2).type(), "zfs");
}

TEST(HostInfoTest, BareMetalOfACloudIsNoGuest) {
  Sample host;
  host.Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu vme\n");
  host.Write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  EXPECT_EQ(ReadHostInfo(host.root()).hypervisor(), "");
}

TEST(HostInfoTest, HypervisorByOtherSigns) {
  Sample kvm;
  kvm.Write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
  kvm.Write("sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock tsc\n");
  EXPECT_EQ(ReadHostInfo(kvm.root()).hypervisor(), "kvm");
  Sample xen;
  xen.Write("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(ReadHostInfo(xen.root()).hypervisor(), "xen");
  Sample other;
  other.Write("proc/cpuinfo", "processor : 0\nflags : hypervisor\n");
  EXPECT_EQ(ReadHostInfo(other.root()).hypervisor_evidence(), "CPU flag hypervisor");
}

TEST(HostInfoTest, NothingThereIsNothingSet) {
  Sample host;
  EXPECT_THAT(ReadHostInfo(host.root()).SerializeAsString(), IsEmpty());
}

TEST(HostInfoTest, GarbageGivesAMessageThatCanBeSent) {
  Sample host;
  static constexpr char kGarbage[] = "\xff\xfe\0\x01:\x80 -1 99999999999999999999 [ ]\n - \xed\xa0\x80\n[";
  const std::string garbage(kGarbage, sizeof(kGarbage) - 1);
  for (const char* path :
       {"proc/cpuinfo", "proc/meminfo", "etc/os-release", "proc/sys/kernel/osrelease", "sys/class/dmi/id/sys_vendor",
        "proc/self/mountinfo", "sys/class/net/eth0/speed", "sys/class/net/eth0/mtu", "sys/block/sda/queue/scheduler",
        "sys/hypervisor/type", "proc/stat", "proc/net/dev", "proc/net/snmp"}) {
    host.Write(path, garbage);
  }
  host.Write("sys/block/sda/size", "12 garbage");
  host.Write("proc/self/mountinfo", "1 1 1:1 / /\xff rw - ext4 /dev/\xc3\x28 rw\n");
  const v1::HostInfo info = ReadHostInfo(host.root());
  v1::HostInfo copy;
  EXPECT_TRUE(copy.ParseFromString(info.SerializeAsString()));
  ASSERT_EQ(info.mounts_size(), 1);
  EXPECT_EQ(info.mounts(0).path(), "/?");
  HostLoadSampler(host.root()).Sample();
}

TEST(HostInfoTest, ThisHost) {
  const v1::HostInfo info = ReadHostInfo("/");
  EXPECT_EQ(info.cpu_count(), static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_GT(info.memory_bytes(), 0);
  EXPECT_NE(info.kernel(), "");
  EXPECT_NE(info.host_name(), "");
}

class HostLoadTest : public testing::Test {
 protected:
  void WriteCounters(const std::string& cpu, int64_t rx, int64_t tx, int retransmits) {
    host_.Write("proc/stat", absl::StrCat("cpu  ", cpu, "\ncpu0 1 2 3\n"));
    host_.Write("proc/net/dev",
                absl::StrCat("Inter-| Receive\n face |bytes\n    lo: 999999 1 0 0 0 0 0 0 888888 1\n", "  eth0:", rx,
                             " 1 0 0 0 0 0 0 ", tx, " 1 0 0\n  br0: 777777 1 0 0 0 0 0 0 5 1\n"));
    host_.Write("proc/net/snmp", absl::StrCat("Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm RetransSegs InErrs\nTcp: 1 ",
                                              retransmits, " 0\n"));
    host_.Write("proc/meminfo", "MemAvailable:   8192 kB\n");
  }

  Sample host_;
  SimulatedClock clock_;
};

TEST_F(HostLoadTest, DeltasOfOneInterval) {
  host_.Write("sys/class/net/eth0/device/vendor", "x");
  WriteCounters("100 0 100 800 0 0 0 0 0 0", 1000, 2000, 5);
  HostLoadSampler sampler(host_.root(), &clock_);
  clock_.AdvanceTo(clock_.Now() + int64_t{2'000'000'000});
  WriteCounters("130 0 120 820 20 0 5 5 0 0", 5000, 12000, 12);
  const v1::HostLoad load = sampler.Sample();
  EXPECT_THAT(load.cpu_busy_ratio(), DoubleNear(0.6, 1e-12));  // 100 ticks, of which 20 idle and 20 waiting for disks
  EXPECT_THAT(load.cpu_softirq_ratio(), DoubleNear(0.05, 1e-12));
  EXPECT_THAT(load.cpu_steal_ratio(), DoubleNear(0.05, 1e-12));
  EXPECT_EQ(load.rx_bytes_per_sec(), 2000);
  EXPECT_EQ(load.tx_bytes_per_sec(), 5000);
  EXPECT_EQ(load.tcp_retransmits(), 7);
  EXPECT_EQ(load.available_memory_bytes(), 8192.0 * 1024);
}

TEST_F(HostLoadTest, WithoutAPhysicalNicAllButLoopbackCount) {
  WriteCounters("1 0 0 0", 0, 0, 0);
  HostLoadSampler sampler(host_.root(), &clock_);
  clock_.AdvanceTo(clock_.Now() + int64_t{1'000'000'000});
  WriteCounters("1 0 0 0", 100, 50, 0);
  EXPECT_EQ(sampler.Sample().rx_bytes_per_sec(), 100);
}

TEST_F(HostLoadTest, CountersThatGoBackwardsCountAsNothing) {
  WriteCounters("100 0 100 800 0 0 0 0", 1000, 2000, 5);
  HostLoadSampler sampler(host_.root(), &clock_);
  WriteCounters("1 0 1 8 0 0 0 0", 10, 20, 1);
  clock_.AdvanceTo(clock_.Now() + int64_t{1'000'000'000});
  const v1::HostLoad load = sampler.Sample();
  EXPECT_EQ(load.cpu_busy_ratio(), 0);
  EXPECT_EQ(load.rx_bytes_per_sec(), 0);
  EXPECT_EQ(load.tcp_retransmits(), 0);
}

TEST_F(HostLoadTest, TheProcessesOwnCpuTime) {
  HostLoadSampler sampler(host_.root(), &clock_);
  const double before = sampler.Sample().agent_cpu_seconds();
  double spent = before;
  volatile uint64_t work = 0;
  for (int rounds = 0; rounds < 1000 && spent <= before; ++rounds) {
    for (int i = 0; i < 1'000'000; ++i) work = work + 1;
    spent += sampler.Sample().agent_cpu_seconds();
  }
  EXPECT_GT(spent, before);
}

}  // namespace
}  // namespace crest
