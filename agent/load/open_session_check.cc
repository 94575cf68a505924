#include "agent/load/open_session_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "workloads/validate.h"

namespace crest {
namespace {

constexpr int kMaxTargets = 1024;
constexpr uint32_t kMaxStreams = 1'000'000;
constexpr uint32_t kMaxAgents = 10'000;
constexpr double kMaxOpsPerSec = 1e9;
constexpr int64_t kMaxDurationNs = int64_t{7 * 24 * 3600} * 1'000'000'000;
constexpr int64_t kMaxStartAheadNs = int64_t{600} * 1'000'000'000;

bool IsWithin(const google::protobuf::Duration& duration, int64_t least_ns) {
  if (duration.seconds() < 0 || duration.nanos() < 0 || duration.nanos() > 999'999'999) return false;
  if (duration.seconds() > kMaxDurationNs / 1'000'000'000) return false;
  return ToNs(duration) >= least_ns;
}

bool IsRate(double rate) { return std::isfinite(rate) && rate > 0 && rate <= kMaxOpsPerSec; }

std::string Join(const std::vector<FieldError>& errors) {
  return absl::StrJoin(errors, "; ", [](std::string* out, const FieldError& error) {
    absl::StrAppend(out, error.path, ": ", error.message);
  });
}

}  // namespace

int64_t ToNs(const google::protobuf::Duration& duration) {
  return duration.seconds() * 1'000'000'000 + duration.nanos();
}

absl::Status CheckOpenSession(const v1::OpenSession& open) {
  const auto refuse = [](const auto&... what) {
    return absl::InvalidArgumentError(absl::StrCat("session refused: ", what...));
  };
  if (open.target().empty()) return refuse("it names no target");
  if (open.target_size() > kMaxTargets) return refuse("more than ", kMaxTargets, " targets");
  if (open.agent_count() == 0 || open.agent_count() > kMaxAgents || open.agent_index() >= open.agent_count()) {
    return refuse("agent ", open.agent_index(), " of ", open.agent_count(), " is no place among 1 to ", kMaxAgents,
                  " agents");
  }
  if (open.stream_count() > kMaxStreams) return refuse(open.stream_count(), " streams; at most ", kMaxStreams);
  if (open.stream_count() < open.agent_count()) {
    return refuse(open.stream_count(), " streams are fewer than the ", open.agent_count(),
                  " agents; every agent needs one: set load: {streams: …}");
  }
  const std::vector<FieldError> errors = ValidateWorkload(open.workload());
  if (!errors.empty()) {
    return refuse("workload: ", Join(errors));
  }
  return absl::OkStatus();
}

absl::Status CheckOperations(const v1::Workload& workload, const EngineType& type) {
  std::vector<absl::string_view> missing;
  for (const v1::OperationShare& share : workload.mix()) {
    const auto& can = type.operations;
    if (std::find(can.begin(), can.end(), share.operation()) == can.end())
      missing.push_back(OperationName(share.operation()));
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("engine ", type.scheme, " cannot do ", absl::StrJoin(missing, ", "),
                                                 ", which workload ", workload.name(), " asks for"));
}

absl::Status CheckPrepare(const v1::Prepare& prepare, const v1::Workload& workload, uint32_t stream_count,
                          uint32_t agent_count) {
  if (stream_count < agent_count || stream_count > kMaxStreams) {
    return absl::InvalidArgumentError(absl::StrCat("file set refused: ", stream_count, " streams for ", agent_count,
                                                   " agents; give each agent one, and at most ", kMaxStreams));
  }
  const double rate = prepare.requested_ops_per_sec();
  if (!IsRate(rate)) return absl::InvalidArgumentError(absl::StrCat("file set refused: ", rate, " is no rate"));
  const std::vector<FieldError> errors = ValidateStreams(workload, stream_count, rate);
  return errors.empty() ? absl::OkStatus() : absl::InvalidArgumentError(Join(errors));
}

absl::Status CheckStartPoint(const v1::StartPoint& start, MonoTime now) {
  const double rate = start.requested_ops_per_sec();
  if (!IsRate(rate)) return absl::InvalidArgumentError(absl::StrCat("load point refused: ", rate, " is no rate"));
  if (!IsWithin(start.warmup(), 0) || !IsWithin(start.measure(), 1) || !IsWithin(start.max_backlog(), 1)) {
    return absl::InvalidArgumentError("load point refused: a duration is out of range");
  }
  if (start.start_ns() < now.ns - kMaxStartAheadNs || start.start_ns() > now.ns + kMaxStartAheadNs) {
    return absl::InvalidArgumentError("load point refused: its start is more than ten minutes from now");
  }
  return absl::OkStatus();
}

}  // namespace crest
