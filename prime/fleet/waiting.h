// Says whom the fleet waits for, so that no wait is silent.
#ifndef CREST_PRIME_FLEET_WAITING_H_
#define CREST_PRIME_FLEET_WAITING_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"

namespace crest {

/// "client7:7460", "client7:7460 and 2 others".
inline std::string SomeOf(const std::vector<std::string>& names) {
  if (names.empty()) return "no agent";
  if (names.size() == 1) return names[0];
  return absl::StrCat(names[0], " and ", names.size() - 1, names.size() == 2 ? " other" : " others");
}

/// Passes on whom a step waits for, once a second from the first second on. Not thread-safe.
class WaitTeller {
 public:
  explicit WaitTeller(std::function<void(const std::string&)> listener) : listener_(std::move(listener)) {}

  void Tell(const std::vector<std::string>& names, absl::string_view step) {
    const MonoTime now = RealClock().Now();
    if (!listener_ || names.empty() || now - last_ < kIntervalNs) return;
    last_ = now;
    listener_(absl::StrCat("waiting for ", SomeOf(names), ": ", step));
  }

 private:
  static constexpr int64_t kIntervalNs = 1'000'000'000;
  std::function<void(const std::string&)> listener_;
  MonoTime last_ = RealClock().Now();
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_WAITING_H_
