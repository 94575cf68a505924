#include "results/report_hosts.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "results/html.h"

namespace crest {
namespace {

using Align = HtmlTable::Align;

std::string Facts(const v1::HostInfo& host) {
  const std::vector<std::pair<absl::string_view, std::string>> facts = {
      {"Host name", host.host_name()},
      {"Hardware", host.dmi()},
      {"CPU", host.cpu_count() == 0 ? "" : absl::StrCat(host.cpu_count(), " × ", host.cpu_model())},
      {"Memory", host.memory_bytes() > 0 ? absl::StrCat(FormatMiB(host.memory_bytes()), " MiB") : ""},
      {"System", host.os()},
      {"Kernel", host.kernel()},
      {"Hypervisor",
       host.hypervisor().empty() ? "" : absl::StrCat(host.hypervisor(), " (from ", host.hypervisor_evidence(), ")")},
      {"Clock source", host.clock_source()},
      {"crest", host.crest_version()}};
  std::string rows;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    absl::StrAppend(&rows, "<div><dt>", name, "</dt><dd>", EscapeHtml(value), "</dd></div>\n");
  }
  return absl::StrCat("<dl class=\"facts\">\n", rows, "</dl>\n");
}

std::string Nics(const v1::HostInfo& host) {
  if (host.nics().empty()) return "";
  HtmlTable table({{"Interface", Align::kLeft},
                   {"Driver", Align::kLeft},
                   {"Gbit/s", Align::kRight},
                   {"MTU", Align::kRight},
                   {"Physical", Align::kLeft},
                   {"Addresses", Align::kLeft}});
  for (const v1::NetworkInterface& nic : host.nics()) {
    table.AddRow({nic.name(), nic.driver(),
                  nic.speed_bits_per_sec() > 0 ? FormatFigure(nic.speed_bits_per_sec() / 1e9) : "–",
                  absl::StrCat(nic.mtu()), nic.physical() ? "yes" : "no", absl::StrJoin(nic.addresses(), ", ")});
  }
  return table.ToHtml("Network interfaces.");
}

std::string Mounts(const v1::HostInfo& host) {
  if (host.mounts().empty()) return "";
  HtmlTable table(
      {{"Mount", Align::kLeft}, {"Source", Align::kLeft}, {"Type", Align::kLeft}, {"Options", Align::kLeft}});
  for (const v1::Mount& mount : host.mounts()) {
    table.AddRow({mount.path(), mount.source(), mount.type(), mount.options()});
  }
  return table.ToHtml("Mounts.");
}

std::string BlockDevices(const v1::HostInfo& host) {
  if (host.block_devices().empty()) return "";
  HtmlTable table({{"Device", Align::kLeft},
                   {"Driver", Align::kLeft},
                   {"Scheduler", Align::kLeft},
                   {"Read-ahead KiB", Align::kRight},
                   {"Queue", Align::kRight},
                   {"Rotational", Align::kLeft},
                   {"MiB", Align::kRight}});
  for (const v1::BlockDevice& device : host.block_devices()) {
    table.AddRow({device.name(), device.driver(), device.scheduler(), absl::StrCat(device.read_ahead_kib()),
                  absl::StrCat(device.queue_depth()), device.rotational() ? "yes" : "no",
                  FormatMiB(device.size_bytes())});
  }
  return table.ToHtml("Block devices.");
}

}  // namespace

std::string HostsSection(const v1::RunResult& result) {
  if (result.hosts().empty()) return "";
  std::string hosts;
  for (const v1::HostInfo& host : result.hosts()) {
    absl::StrAppend(&hosts, "<details><summary>", EscapeHtml(host.agent_address()), " <span class=\"quiet\">",
                    EscapeHtml(host.host_name()), "</span></summary>\n", Facts(host), Nics(host), Mounts(host),
                    BlockDevices(host), "</details>\n");
  }
  return absl::StrCat("<section id=\"hosts\"><h2>Hosts that made the load</h2>\n", hosts, "</section>\n");
}

}  // namespace crest
