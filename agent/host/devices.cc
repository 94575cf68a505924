#include "agent/host/devices.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace crest {
namespace {

constexpr size_t kMaxDevices = 1000;

// A value of sysfs that must fit `limit`, else 0.
double Bounded(const HostFiles& files, absl::string_view path, double limit) {
  const double value = files.Number(path).value_or(0);
  return value >= 0 && value <= limit ? value : 0;
}

std::string AddressText(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr) return "";
  return text.data();
}

std::map<std::string, std::vector<std::string>> LiveAddresses() {
  std::map<std::string, std::vector<std::string>> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    std::string text = AddressText(entry->ifa_addr);
    if (!text.empty()) addresses[entry->ifa_name].push_back(std::move(text));
  }
  freeifaddrs(list);
  return addresses;
}

// "none [mq-deadline] kyber" → "mq-deadline".
std::string ActiveScheduler(const std::string& choices) {
  const size_t open = choices.find('[');
  const size_t close = choices.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  return choices.substr(open + 1, close - open - 1);
}

// NVMe namespaces hang on a controller, which hangs on the device that has the driver.
std::string BlockDriver(const HostFiles& files, const std::string& base) {
  for (const char* path : {"/device/driver", "/device/device/driver"}) {
    std::string driver = files.LinkName(absl::StrCat(base, path));
    if (!driver.empty()) return driver;
  }
  return "";
}

uint32_t QueueDepth(const HostFiles& files, const std::string& base) {
  const auto scsi = static_cast<uint32_t>(Bounded(files, absl::StrCat(base, "/device/queue_depth"), 1e6));
  return scsi > 0 ? scsi : static_cast<uint32_t>(Bounded(files, absl::StrCat(base, "/queue/nr_requests"), 1e6));
}

}  // namespace

std::vector<v1::NetworkInterface> ReadNics(const HostFiles& files) {
  std::vector<v1::NetworkInterface> nics;
  const auto addresses = files.live() ? LiveAddresses() : std::map<std::string, std::vector<std::string>>();
  for (const std::string& name : files.List("sys/class/net")) {
    const std::string base = absl::StrCat("sys/class/net/", name);
    if (!files.Exists(absl::StrCat(base, "/mtu"))) continue;  // bonding_masters is a file among the folders
    v1::NetworkInterface nic;
    nic.set_name(name);
    nic.set_driver(files.LinkName(absl::StrCat(base, "/device/driver")));
    nic.set_speed_bits_per_sec(Bounded(files, absl::StrCat(base, "/speed"), 1e8) * 1e6);  // Mbit/s; -1: not known
    nic.set_mtu(static_cast<uint32_t>(Bounded(files, absl::StrCat(base, "/mtu"), 1e9)));
    nic.set_physical(files.Exists(absl::StrCat(base, "/device")));
    if (const auto found = addresses.find(name); found != addresses.end()) {
      nic.mutable_addresses()->Assign(found->second.begin(), found->second.end());
    }
    nics.push_back(std::move(nic));
    if (nics.size() == kMaxDevices) break;
  }
  return nics;
}

std::vector<v1::BlockDevice> ReadBlockDevices(const HostFiles& files) {
  std::vector<v1::BlockDevice> devices;
  for (const std::string& name : files.List("sys/block")) {
    const std::string base = absl::StrCat("sys/block/", name);
    const double sectors =
        Bounded(files, absl::StrCat(base, "/size"), 1e15);  // of 512 bytes, whatever the device's are
    if (sectors == 0) continue;
    v1::BlockDevice device;
    device.set_name(name);
    device.set_driver(BlockDriver(files, base));
    device.set_scheduler(ActiveScheduler(files.Read(absl::StrCat(base, "/queue/scheduler"))));
    device.set_read_ahead_kib(static_cast<uint32_t>(Bounded(files, absl::StrCat(base, "/queue/read_ahead_kb"), 1e9)));
    device.set_queue_depth(QueueDepth(files, base));
    device.set_rotational(Bounded(files, absl::StrCat(base, "/queue/rotational"), 1) == 1);
    device.set_size_bytes(sectors * 512);
    devices.push_back(std::move(device));
    if (devices.size() == kMaxDevices) break;
  }
  return devices;
}

}  // namespace crest
