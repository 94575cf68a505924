// The hosts of a run, as report.html shows them.
#ifndef CREST_RESULTS_REPORT_HOSTS_H_
#define CREST_RESULTS_REPORT_HOSTS_H_

#include <string>

#include "crest/v1/result.pb.h"

namespace crest {

/// One folding block a host, with its network interfaces, mounts and block devices. Facts that could not be read are
/// left out.
std::string HostsSection(const v1::RunResult& result);

}  // namespace crest

#endif  // CREST_RESULTS_REPORT_HOSTS_H_
