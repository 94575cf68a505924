#include "results/observer_collector.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace crest {
namespace {

// An observer's last second may come too late to be waited for.
constexpr int64_t kSlackNs = 2'000'000'000;

struct Figure {
  const char* name;  // the field's
  double (v1::HostLoad::*value)() const;
};

constexpr Figure kFigures[] = {
    {"cpu_busy_ratio", &v1::HostLoad::cpu_busy_ratio},
    {"busiest_cpu_ratio", &v1::HostLoad::busiest_cpu_ratio},
    {"rx_bytes_per_sec", &v1::HostLoad::rx_bytes_per_sec},
    {"tx_bytes_per_sec", &v1::HostLoad::tx_bytes_per_sec},
    {"disk_read_bytes_per_sec", &v1::HostLoad::disk_read_bytes_per_sec},
    {"disk_write_bytes_per_sec", &v1::HostLoad::disk_write_bytes_per_sec},
    {"disk_busy_ratio", &v1::HostLoad::disk_busy_ratio},
    {"available_memory_bytes", &v1::HostLoad::available_memory_bytes},
};

bool IsFigure(double value) { return std::isfinite(value) && value >= 0; }

void AddFigure(const char* name, double mean, double max, v1::ObserverData* data) {
  v1::ObservedFigure* const figure = data->add_figures();
  figure->set_name(name);
  figure->set_mean(mean);
  figure->set_max(max);
}

}  // namespace

void ObserverCollector::Series::Add(double value, double seconds) {
  sum += value * seconds;
  max = std::max(max, value);
}

absl::Status ObserverCollector::Add(const v1::IntervalReport& report) {
  static_assert(std::size(kFigures) == kFigureCount);
  const v1::HostLoad& load = report.host_load();
  bool well_formed = report.point() == point_ && report.start_ns() >= 0 && report.length_ns() > 0 &&
                     IsFigure(load.arc_hits()) && IsFigure(load.arc_misses()) && IsFigure(load.arc_size_bytes());
  for (const Figure& figure : kFigures) well_formed = well_formed && IsFigure((load.*figure.value)());
  if (!well_formed) {
    return absl::InvalidArgumentError(absl::StrCat("malformed report of load point ", report.point(), " while ", point_,
                                                   " runs; use one version of crest everywhere"));
  }
  if (!report.measured() || !seen_.insert(report.start_ns()).second) return absl::OkStatus();
  measured_ns_ += report.length_ns();
  const double seconds = static_cast<double>(report.length_ns()) * 1e-9;
  Series* series = figures_;
  for (const Figure& figure : kFigures) (series++)->Add((load.*figure.value)(), seconds);
  if (!load.has_arc_size_bytes()) return absl::OkStatus();
  arc_seconds_ += seconds;
  arc_size_.Add(load.arc_size_bytes(), seconds);
  arc_hits_ += load.arc_hits();
  arc_misses_ += load.arc_misses();
  const double accesses = load.arc_hits() + load.arc_misses();
  if (accesses > 0) arc_best_ratio_ = std::max(arc_best_ratio_, load.arc_hits() / accesses);
  return absl::OkStatus();
}

v1::ObserverData ObserverCollector::Finish(int64_t window_ns) const {
  v1::ObserverData data;
  data.set_address(address_);
  data.set_lost(lost_ || measured_ns_ < window_ns - std::min(kSlackNs, window_ns / 2));
  const double seconds = static_cast<double>(measured_ns_) * 1e-9;
  if (seconds <= 0) return data;
  for (int i = 0; i < kFigureCount; ++i) {
    AddFigure(kFigures[i].name, figures_[i].sum / seconds, figures_[i].max, &data);
  }
  const double accesses = arc_hits_ + arc_misses_;
  if (accesses > 0) AddFigure("arc_hit_ratio", arc_hits_ / accesses, arc_best_ratio_, &data);
  if (arc_seconds_ > 0) AddFigure("arc_size_bytes", arc_size_.sum / arc_seconds_, arc_size_.max, &data);
  return data;
}

}  // namespace crest
