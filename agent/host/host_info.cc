#include "agent/host/host_info.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/host/devices.h"
#include "agent/host/files.h"
#include "agent/host/mounts.h"

namespace crest {
namespace {

// "model name : Intel…" → {"model name", "Intel…"}.
std::pair<absl::string_view, absl::string_view> KeyAndValue(absl::string_view line, char separator) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(separator, 1));
  return {absl::StripAsciiWhitespace(parts.first), absl::StripAsciiWhitespace(parts.second)};
}

struct CpuInfo {
  std::string model;
  uint32_t count = 0;
  bool hypervisor_flag = false;
};

CpuInfo ReadCpu(const HostFiles& files) {
  CpuInfo cpu;
  for (const std::string& line : files.Lines("proc/cpuinfo")) {
    const auto [key, value] = KeyAndValue(line, ':');
    if (key == "processor") ++cpu.count;
    // x86, then POWER and s390; ARM kernels name no model.
    if ((key == "model name" || key == "cpu") && cpu.model.empty()) cpu.model = std::string(value);
    if (key == "flags" && absl::StrContains(absl::StrCat(" ", value, " "), " hypervisor ")) cpu.hypervisor_flag = true;
  }
  return cpu;
}

double ReadMemoryBytes(const HostFiles& files) {
  for (const std::string& line : files.Lines("proc/meminfo")) {
    const auto [key, value] = KeyAndValue(line, ':');
    int64_t kib = 0;
    if (key == "MemTotal" && absl::SimpleAtoi(absl::StripSuffix(value, " kB"), &kib) && kib > 0) {
      return static_cast<double>(kib) * 1024;
    }
  }
  return 0;
}

std::string ReadOs(const HostFiles& files) {
  for (const char* path : {"etc/os-release", "usr/lib/os-release"}) {
    for (const std::string& line : files.Lines(path)) {
      absl::string_view value = line;
      if (!absl::ConsumePrefix(&value, "PRETTY_NAME=")) continue;
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
      }
      return std::string(value);
    }
  }
  return "";
}

std::string ReadDmi(const HostFiles& files) {
  const std::string vendor = files.Read("sys/class/dmi/id/sys_vendor");
  const std::string product = files.Read("sys/class/dmi/id/product_name");
  return std::string(absl::StripAsciiWhitespace(absl::StrCat(vendor, " ", product)));
}

// Where a hypervisor shows itself, the surest sign first.
void ReadHypervisor(const HostFiles& files, const CpuInfo& cpu, v1::HostInfo& info) {
  const auto found = [&](absl::string_view name, std::string evidence) {
    info.set_hypervisor(std::string(name));
    info.set_hypervisor_evidence(std::move(evidence));
  };
  if (const std::string type = files.Read("sys/hypervisor/type"); !type.empty()) {
    // The first Xen domain is the host itself, seen from inside its hypervisor.
    return found(type, "/sys/hypervisor/type");
  }
  static constexpr std::array<std::pair<absl::string_view, absl::string_view>, 10> kDmi = {{
      {"VMware", "vmware"},
      {"QEMU", "kvm"},
      {"KVM", "kvm"},
      {"OpenStack", "kvm"},
      {"Amazon EC2", "kvm"},
      {"Google", "kvm"},
      {"VirtualBox", "virtualbox"},
      {"innotek", "virtualbox"},
      {"Virtual Machine", "hyperv"},  // Microsoft's product name; the vendor alone also makes bare metal
      {"Parallels", "parallels"},
  }};
  for (const char* file : {"sys_vendor", "product_name", "bios_vendor"}) {
    const std::string value = files.Read(absl::StrCat("sys/class/dmi/id/", file));
    for (const auto& [word, name] : kDmi) {
      // EC2's bare-metal instances carry the same vendor: only the CPU's flag tells them from guests.
      if (absl::StrContains(value, word) && (cpu.hypervisor_flag || name != "kvm")) {
        return found(name, absl::StrCat("/sys/class/dmi/id/", file, ": ", value));
      }
    }
  }
  if (cpu.hypervisor_flag) {
    const bool kvm_clock =
        absl::StrContains(files.Read("sys/devices/system/clocksource/clocksource0/available_clocksource"), "kvm-clock");
    return kvm_clock ? found("kvm", "clock source kvm-clock") : found("unknown", "CPU flag hypervisor");
  }
}

std::string HostName(const HostFiles& files) {
  if (!files.live()) return files.Read("proc/sys/kernel/hostname");
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "";
}

// Why io_uring cannot be used; empty where it can.
std::string IoUringOff(const HostFiles& files) {
  // kernel.io_uring_disabled: 1 denies it to processes without privileges, 2 to all.
  if (files.Read("proc/sys/kernel/io_uring_disabled") == "2") return "sysctl kernel.io_uring_disabled is 2";
  if (!files.live()) return "";
  // A ring of no entries is refused as invalid where rings are allowed at all.
  if (syscall(SYS_io_uring_setup, 0, nullptr) >= 0 || errno == EINVAL || errno == EFAULT) return "";
  return absl::StrCat("io_uring_setup: ", std::strerror(errno),
                      errno == ENOSYS ? " (the kernel is too old)" : " (a container or a sysctl forbids it)");
}

}  // namespace

v1::HostInfo ReadHostInfo(const std::string& root) {
  const HostFiles files(root);
  const CpuInfo cpu = ReadCpu(files);
  v1::HostInfo info;
  info.set_host_name(HostName(files));
  info.set_cpu_model(cpu.model);
  info.set_cpu_count(cpu.count);
  info.set_memory_bytes(ReadMemoryBytes(files));
  info.set_os(ReadOs(files));
  info.set_kernel(files.Read("proc/sys/kernel/osrelease"));
  info.set_clock_source(files.Read("sys/devices/system/clocksource/clocksource0/current_clocksource"));
  info.set_dmi(ReadDmi(files));
  info.set_io_uring_off(IoUringOff(files));
  ReadHypervisor(files, cpu, info);
  for (v1::NetworkInterface& nic : ReadNics(files)) *info.add_nics() = std::move(nic);
  for (v1::Mount& mount : ReadMounts(files)) *info.add_mounts() = std::move(mount);
  for (v1::BlockDevice& device : ReadBlockDevices(files)) *info.add_block_devices() = std::move(device);
  return info;
}

}  // namespace crest
