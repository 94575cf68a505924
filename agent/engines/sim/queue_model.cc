#include "agent/engines/sim/queue_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"

namespace crest {
namespace {

constexpr uint32_t kMaxServers = 100'000;

absl::Status Wrong(const Target& target, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("target ", target.url, ": ", what));
}

}  // namespace

absl::StatusOr<QueueModelSpec> ParseQueueModel(const Target& target) {
  if (!target.host.empty() || !target.path.empty()) {
    return Wrong(target, "a simulated server has no host or path; write sim://?servers=8&service_time=2ms");
  }
  QueueModelSpec spec;
  for (const auto& [key, value] : target.parameters) {
    if (key == "servers") {
      if (!absl::SimpleAtoi(value, &spec.servers) || spec.servers == 0 || spec.servers > kMaxServers) {
        return Wrong(target, absl::StrCat("servers=", value, " is not a number from 1 to ", kMaxServers));
      }
    } else if (key == "service_time") {
      CREST_ASSIGN_OR_RETURN(const absl::Duration time, ParseDuration(value));
      if (time <= absl::ZeroDuration() || time > absl::Minutes(10)) {
        return Wrong(target, absl::StrCat("service_time=", value, " is not above 0 and at most 10m"));
      }
      spec.service_time_ns = absl::ToInt64Nanoseconds(time);
    } else if (key == "law") {
      if (value != "exponential" && value != "fixed") {
        return Wrong(target, absl::StrCat("law=", value, " is not known; use exponential or fixed"));
      }
      spec.law = value == "fixed" ? ServiceLaw::kFixed : ServiceLaw::kExponential;
    } else if (key != "queue") {
      return Wrong(target, absl::StrCat("unknown parameter ", key, "; known are servers, service_time, law, queue"));
    }
  }
  return spec;
}

QueueModel::QueueModel(const QueueModelSpec& spec, uint64_t seed)
    : spec_(spec), random_(MixKey(seed, 0x51a1)), free_at_(spec.servers) {}

MonoTime QueueModel::Arrive(MonoTime now) {
  const int64_t service_ns = spec_.law == ServiceLaw::kFixed
                                 ? spec_.service_time_ns
                                 : std::llround(random_.NextExponential() * static_cast<double>(spec_.service_time_ns));
  std::pop_heap(free_at_.begin(), free_at_.end(), std::greater<>());
  MonoTime& server = free_at_.back();
  server = std::max(server, now) + service_ns;
  const MonoTime done = server;
  std::push_heap(free_at_.begin(), free_at_.end(), std::greater<>());
  return done;
}

}  // namespace crest
