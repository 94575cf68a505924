#include "agent/host/storage_load.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/host/files.h"

namespace crest {
namespace {

constexpr double kSectorBytes = 512;  // of /proc/diskstats, whatever the disk's own are

struct Disk {
  double read_sectors = 0;
  double written_sectors = 0;
  double busy_ms = 0;  // with requests in flight
};

struct Arc {
  double hits = 0;
  double misses = 0;
  double size_bytes = 0;
};

double NumberAt(const std::vector<absl::string_view>& words, size_t i) {
  uint64_t value = 0;
  return i < words.size() && absl::SimpleAtoi(words[i], &value) ? static_cast<double>(value) : 0;
}

double Gained(double now, double before) { return std::max(0.0, now - before); }

// Whole disks by name: partitions and volumes made of others would count twice. Where no disk has a device behind it,
// all that are no loop or memory disks. Fields as in the kernel's Documentation/admin-guide/iostats.rst.
std::map<std::string, Disk> ReadDisks(const HostFiles& files) {
  std::map<std::string, Disk> with_device;
  std::map<std::string, Disk> others;
  for (const std::string& line : files.Lines("proc/diskstats")) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.size() < 13) continue;
    const std::string name(words[2]);
    const std::string folder = absl::StrCat("sys/block/", absl::StrReplaceAll(name, {{"/", "!"}}));
    const bool in_memory =
        absl::StartsWith(name, "loop") || absl::StartsWith(name, "ram") || absl::StartsWith(name, "zram");
    if (in_memory || !files.Exists(folder)) continue;
    const bool device = files.Exists(folder + "/device");
    (device ? with_device : others)[name] = {NumberAt(words, 5), NumberAt(words, 9), NumberAt(words, 12)};
  }
  return with_device.empty() ? others : with_device;
}

// "hits 4 123456": name, type, value.
std::optional<Arc> ReadArc(const HostFiles& files) {
  std::optional<Arc> arc;
  for (const std::string& line : files.Lines("proc/spl/kstat/zfs/arcstats")) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.size() != 3) continue;
    if (words[0] == "size") (arc ? *arc : arc.emplace()).size_bytes = NumberAt(words, 2);
    if (words[0] == "hits") (arc ? *arc : arc.emplace()).hits = NumberAt(words, 2);
    if (words[0] == "misses") (arc ? *arc : arc.emplace()).misses = NumberAt(words, 2);
  }
  return arc;
}

const Clock& HostClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace

struct StorageLoadSampler::Counters {
  MonoTime at;
  std::map<std::string, Disk> disks;
  std::optional<Arc> arc;
};

StorageLoadSampler::StorageLoadSampler(std::string root, const Clock* clock)
    : root_(std::move(root)),
      clock_(clock != nullptr ? clock : &HostClock()),
      last_(std::make_unique<Counters>(Read())) {}

StorageLoadSampler::~StorageLoadSampler() = default;

StorageLoadSampler::Counters StorageLoadSampler::Read() const {
  const HostFiles files(root_);
  return {.at = clock_->Now(), .disks = ReadDisks(files), .arc = ReadArc(files)};
}

void StorageLoadSampler::Sample(v1::HostLoad* load) {
  Counters now = Read();
  const double seconds = static_cast<double>(now.at - last_->at) * 1e-9;
  double read = 0, written = 0, busiest_ms = 0;
  for (const auto& [name, disk] : now.disks) {
    const auto before = last_->disks.find(name);
    if (before == last_->disks.end()) continue;  // plugged in since: its counters are of no interval
    read += Gained(disk.read_sectors, before->second.read_sectors) * kSectorBytes;
    written += Gained(disk.written_sectors, before->second.written_sectors) * kSectorBytes;
    busiest_ms = std::max(busiest_ms, Gained(disk.busy_ms, before->second.busy_ms));
  }
  if (seconds > 0) {
    load->set_disk_read_bytes_per_sec(read / seconds);
    load->set_disk_write_bytes_per_sec(written / seconds);
    load->set_disk_busy_ratio(std::min(busiest_ms * 1e-3 / seconds, 1.0));
  }
  if (now.arc.has_value()) {
    const Arc before = last_->arc.value_or(*now.arc);
    load->set_arc_hits(Gained(now.arc->hits, before.hits));
    load->set_arc_misses(Gained(now.arc->misses, before.misses));
    load->set_arc_size_bytes(now.arc->size_bytes);
  }
  *last_ = std::move(now);
}

}  // namespace crest
