// What this host is doing.
#ifndef CREST_AGENT_HOST_HOST_LOAD_H_
#define CREST_AGENT_HOST_HOST_LOAD_H_

#include <memory>
#include <string>

#include "base/clock.h"
#include "crest/v1/host.pb.h"

namespace crest {

/// Figures of the time between two calls. Used by one thread at a time.
class HostLoadSampler {
 public:
  /// Begins the first interval now. `root`: "/" for the running host, a kept sample in tests; `clock` outlives this and
  /// gives the interval's length, nullptr for the host's own.
  explicit HostLoadSampler(std::string root = "/", const Clock* clock = nullptr);
  ~HostLoadSampler();
  HostLoadSampler(const HostLoadSampler&) = delete;
  HostLoadSampler& operator=(const HostLoadSampler&) = delete;

  /// What was done since the last call, or since construction. Counters that went backwards or cannot be read count as
  /// 0; ratios are within 0 and 1. generator_spin_seconds is left to the caller, who alone knows. Reads five small
  /// files.
  v1::HostLoad Sample();

 private:
  struct Counters;
  Counters Read() const;

  std::string root_;
  const Clock* clock_;
  std::unique_ptr<Counters> last_;
};

}  // namespace crest

#endif  // CREST_AGENT_HOST_HOST_LOAD_H_
