#include "agent/host/host_load.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/host/files.h"

namespace crest {
namespace {

std::vector<absl::string_view> Words(absl::string_view line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

// The number at `i`, 0 when there is none.
double NumberAt(const std::vector<absl::string_view>& words, size_t i) {
  uint64_t value = 0;
  return i < words.size() && absl::SimpleAtoi(words[i], &value) ? static_cast<double>(value) : 0;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double ProcessCpuSeconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

double Gained(double now, double before) { return std::max(0.0, now - before); }

double Ratio(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

const Clock& HostClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace

struct HostLoadSampler::Counters {
  MonoTime at;
  // Ticks of all CPUs (proc_stat(5)).
  double all = 0;
  double idle = 0;
  double softirq = 0;
  double steal = 0;
  double process_seconds = 0;
  double rx_bytes = 0;
  double tx_bytes = 0;
  double retransmits = 0;
  double available_bytes = 0;
};

HostLoadSampler::HostLoadSampler(std::string root, const Clock* clock)
    : root_(std::move(root)),
      clock_(clock != nullptr ? clock : &HostClock()),
      last_(std::make_unique<Counters>(Read())) {}

HostLoadSampler::~HostLoadSampler() = default;

HostLoadSampler::Counters HostLoadSampler::Read() const {
  const HostFiles files(root_);
  Counters counters;
  counters.at = clock_->Now();
  counters.process_seconds = ProcessCpuSeconds();

  const std::vector<std::string> stat = files.Lines("proc/stat");
  if (!stat.empty() && absl::StartsWith(stat[0], "cpu ")) {
    const std::vector<absl::string_view> words = Words(stat[0]);
    // user nice system idle iowait irq softirq steal; guest time after them is within user time.
    for (size_t i = 1; i <= 8; ++i) counters.all += NumberAt(words, i);
    counters.idle = NumberAt(words, 4) + NumberAt(words, 5);
    counters.softirq = NumberAt(words, 7);
    counters.steal = NumberAt(words, 8);
  }

  double physical_rx = 0, physical_tx = 0, other_rx = 0, other_tx = 0;
  bool any_physical = false;
  for (const std::string& line : files.Lines("proc/net/dev")) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 1));
    const std::string name(absl::StripAsciiWhitespace(parts.first));
    if (parts.second.empty() || name == "lo") continue;
    const std::vector<absl::string_view> words = Words(parts.second);
    const bool physical = files.Exists(absl::StrCat("sys/class/net/", name, "/device"));
    any_physical = any_physical || physical;
    (physical ? physical_rx : other_rx) += NumberAt(words, 0);
    (physical ? physical_tx : other_tx) += NumberAt(words, 8);
  }
  counters.rx_bytes = any_physical ? physical_rx : other_rx;
  counters.tx_bytes = any_physical ? physical_tx : other_tx;

  // "Tcp: RtoAlgorithm … RetransSegs …" and below it "Tcp: 1 … 12 …".
  std::vector<std::string> tcp;
  for (const std::string& line : files.Lines("proc/net/snmp")) {
    if (absl::StartsWith(line, "Tcp:")) tcp.push_back(line);
  }
  if (tcp.size() >= 2) {
    const std::vector<absl::string_view> names = Words(tcp[0]);
    const auto column = std::find(names.begin(), names.end(), "RetransSegs");
    counters.retransmits = NumberAt(Words(tcp[1]), static_cast<size_t>(column - names.begin()));
  }

  for (const std::string& line : files.Lines("proc/meminfo")) {
    if (absl::StartsWith(line, "MemAvailable:")) counters.available_bytes = NumberAt(Words(line), 1) * 1024;
  }
  return counters;
}

v1::HostLoad HostLoadSampler::Sample() {
  const Counters now = Read();
  const Counters& before = *last_;
  const double seconds = static_cast<double>(now.at - before.at) * 1e-9;
  const double ticks = Gained(now.all, before.all);
  v1::HostLoad load;
  if (ticks > 0) load.set_cpu_busy_ratio(1 - Ratio(Gained(now.idle, before.idle), ticks));
  load.set_cpu_softirq_ratio(Ratio(Gained(now.softirq, before.softirq), ticks));
  load.set_cpu_steal_ratio(Ratio(Gained(now.steal, before.steal), ticks));
  load.set_agent_cpu_seconds(Gained(now.process_seconds, before.process_seconds));
  if (seconds > 0) {
    load.set_rx_bytes_per_sec(Gained(now.rx_bytes, before.rx_bytes) / seconds);
    load.set_tx_bytes_per_sec(Gained(now.tx_bytes, before.tx_bytes) / seconds);
  }
  load.set_tcp_retransmits(Gained(now.retransmits, before.retransmits));
  load.set_available_memory_bytes(now.available_bytes);
  *last_ = now;
  return load;
}

}  // namespace crest
