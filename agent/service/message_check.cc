#include "agent/service/message_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "base/version.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace crest {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kMaxText = 256;
constexpr int kMaxDepth = 32;

absl::Status Wrong(absl::string_view field, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

// It goes into logs and other primes' terminals.
absl::Status CheckText(absl::string_view field, absl::string_view text, size_t max_length) {
  if (text.size() > max_length) return Wrong(field, absl::StrCat("longer than ", max_length, " bytes"));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) return Wrong(field, "holds a control character");
  return absl::OkStatus();
}

absl::Status CheckDuration(absl::string_view field, const google::protobuf::Duration& duration, absl::Duration least,
                           absl::Duration most) {
  const bool well_formed = duration.nanos() >= 0 && duration.nanos() < 1'000'000'000 && duration.seconds() >= 0 &&
                           duration.seconds() <= 1'000'000'000;
  if (well_formed && ToDuration(duration) >= least && ToDuration(duration) <= most) return absl::OkStatus();
  return Wrong(field,
               absl::StrCat("must be between ", crest::FormatDuration(least), " and ", crest::FormatDuration(most)));
}

absl::Status CheckRate(absl::string_view field, double rate) {
  if (std::isfinite(rate) && rate > 0 && rate <= kMaxOpsPerSec) return absl::OkStatus();
  return Wrong(field, absl::StrCat("must be above 0 and at most ", kMaxOpsPerSec, " operations a second"));
}

// Every number of a message and of those within it is finite: a NaN passes every comparison that is made later.
absl::Status CheckFinite(const Message& message, int depth) {
  if (depth > kMaxDepth) return Wrong(message.GetDescriptor()->name(), "nested too deep");
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        CREST_RETURN_IF_ERROR(CheckFinite(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                               : reflection.GetMessage(message, field),
                                          depth + 1));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        const double value = field->is_repeated() ? reflection.GetRepeatedDouble(message, field, i)
                                                  : reflection.GetDouble(message, field);
        if (!std::isfinite(value)) return Wrong(field->full_name(), "must be a finite number");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const v1::OpenSession& open) {
  if (open.protocol_version() == kProtocolVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("this agent speaks protocol ", kProtocolVersion, " (crest ", kVersion, "), the prime protocol ",
                   open.protocol_version(), open.crest_version().empty() ? "" : " (crest ", open.crest_version(),
                   open.crest_version().empty() ? "" : ")", "; install the same version of crest on all hosts"));
}

}  // namespace

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::Duration LeaseOf(const v1::OpenSession& open) {
  return open.has_lease() ? ToDuration(open.lease()) : kDefaultLease;
}

absl::Status CheckOpen(const v1::OpenSession& open) {
  CREST_RETURN_IF_ERROR(CheckText("open.crest_version", open.crest_version(), kMaxText));
  CREST_RETURN_IF_ERROR(CheckVersion(open));
  CREST_RETURN_IF_ERROR(CheckText("open.run_id", open.run_id(), kMaxText));
  CREST_RETURN_IF_ERROR(CheckText("open.prime", open.prime(), kMaxText));
  if (open.has_lease()) CREST_RETURN_IF_ERROR(CheckDuration("open.lease", open.lease(), kMinLease, kMaxLease));
  if (open.observer()) return absl::OkStatus();  // nothing below is looked at
  if (open.target().empty() || open.target_size() > kMaxTargets) {
    return Wrong("open.target", absl::StrCat("must be 1 to ", kMaxTargets, " targets"));
  }
  for (const std::string& target : open.target()) {
    CREST_RETURN_IF_ERROR(CheckText("open.target", target, kMaxTargetLength));
    if (target.empty()) return Wrong("open.target", "must not be empty");
  }
  if (open.agent_count() < 1 || open.agent_count() > kMaxAgents) {
    return Wrong("open.agent_count", absl::StrCat("must be 1 to ", kMaxAgents));
  }
  if (open.agent_index() >= open.agent_count()) return Wrong("open.agent_index", "must be below agent_count");
  if (open.stream_count() < 1 || open.stream_count() > kMaxStreams) {
    return Wrong("open.stream_count", absl::StrCat("must be 1 to ", kMaxStreams));
  }
  if (!open.has_workload()) return Wrong("open.workload", "is missing");
  return CheckFinite(open.workload(), 0);
}

absl::Status CheckPrepare(const v1::Prepare& prepare) {
  if (prepare.stream_count() > kMaxStreams) {
    return Wrong("prepare.stream_count", absl::StrCat("must be at most ", kMaxStreams));
  }
  return CheckRate("prepare.requested_ops_per_sec", prepare.requested_ops_per_sec());
}

absl::Status CheckAdjustPoint(const v1::AdjustPoint& adjust) {
  const auto check_edge = [](absl::string_view name, const google::protobuf::Duration& edge) {
    CREST_RETURN_IF_ERROR(CheckDuration(name, edge, absl::ZeroDuration(), kMaxPhase));
    if (edge.nanos() != 0) return Wrong(name, "must be whole seconds");
    return absl::OkStatus();
  };
  if (adjust.has_warmup()) CREST_RETURN_IF_ERROR(check_edge("adjust_point.warmup", adjust.warmup()));
  if (adjust.has_measure()) CREST_RETURN_IF_ERROR(check_edge("adjust_point.measure", adjust.measure()));
  return absl::OkStatus();
}

absl::Status CheckStartPoint(const v1::StartPoint& start, uint32_t last_point, MonoTime now) {
  if (start.point() <= last_point) {
    return Wrong("start_point.point", absl::StrCat("must be above ", last_point, ", the last point of this session"));
  }
  CREST_RETURN_IF_ERROR(CheckRate("start_point.requested_ops_per_sec", start.requested_ops_per_sec()));
  const absl::Duration none;
  CREST_RETURN_IF_ERROR(CheckDuration("start_point.warmup", start.warmup(), none, kMaxPhase));
  CREST_RETURN_IF_ERROR(CheckDuration("start_point.measure", start.measure(), absl::Milliseconds(1), kMaxPhase));
  CREST_RETURN_IF_ERROR(CheckDuration("start_point.max_backlog", start.max_backlog(), none, kMaxPhase));
  if (start.start_ns() <= 0 || start.start_ns() > (now + kMaxStartAhead).ns) {
    return Wrong("start_point.start_ns", absl::StrCat("must be within ", crest::FormatDuration(kMaxStartAhead),
                                                      " from now on this agent's clock"));
  }
  return absl::OkStatus();
}

}  // namespace crest
