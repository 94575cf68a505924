// What this host's disks are doing, and ZFS's cache where there is one.
#ifndef CREST_AGENT_HOST_STORAGE_LOAD_H_
#define CREST_AGENT_HOST_STORAGE_LOAD_H_

#include <memory>
#include <string>

#include "base/clock.h"
#include "crest/v1/host.pb.h"

namespace crest {

/// Figures of the time between two calls. Used by one thread at a time.
class StorageLoadSampler {
 public:
  /// Begins the first interval now. `root` and `clock` as for HostLoadSampler.
  explicit StorageLoadSampler(std::string root = "/", const Clock* clock = nullptr);
  ~StorageLoadSampler();
  StorageLoadSampler(const StorageLoadSampler&) = delete;
  StorageLoadSampler& operator=(const StorageLoadSampler&) = delete;

  /// Sets the disk_ and arc_ fields of `load` to what was done since the last call, or since construction. Counters
  /// that went backwards count as 0.
  void Sample(v1::HostLoad* load);

 private:
  struct Counters;
  Counters Read() const;

  const std::string root_;
  const Clock* const clock_;
  std::unique_ptr<Counters> last_;
};

}  // namespace crest

#endif  // CREST_AGENT_HOST_STORAGE_LOAD_H_
