#include "agent/engines/sim/queue_model_spec.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/engine/parameters.h"
#include "base/status.h"
#include "base/units.h"

namespace crest {
namespace {

/// The parameters of one target, each read with the bounds it must keep.
class Parameters {
 public:
  explicit Parameters(const Target& target) : target_(target) {}

  bool Has(const std::string& name) const { return target_.parameters.count(name) > 0; }

  absl::Status ReadTime(const std::string& name, absl::Duration most, int64_t& ns) const {
    if (!Has(name)) return absl::OkStatus();
    const absl::StatusOr<absl::Duration> time = ParseDuration(Value(name));
    if (!time.ok()) return Wrong(name, time.status().message());
    if (*time <= absl::ZeroDuration() || *time > most) {
      return Wrong(name, absl::StrCat("is not above 0 and at most ", absl::FormatDuration(most)));
    }
    ns = absl::ToInt64Nanoseconds(*time);
    return absl::OkStatus();
  }

  absl::Status ReadNumber(const std::string& name, double least, double most, double& number) const {
    if (!Has(name)) return absl::OkStatus();
    double value = 0;
    if (!absl::SimpleAtod(Value(name), &value) || !(value >= least && value <= most)) {
      return Wrong(name, absl::StrCat("is not a number from ", least, " to ", most));
    }
    number = value;
    return absl::OkStatus();
  }

  template <typename Whole>
  absl::Status ReadWhole(const std::string& name, Whole least, Whole most, Whole& number) const {
    if (!Has(name)) return absl::OkStatus();
    Whole value = 0;
    if (!absl::SimpleAtoi(Value(name), &value) || value < least || value > most) {
      return Wrong(name, absl::StrCat("is not a number from ", least, " to ", most));
    }
    number = value;
    return absl::OkStatus();
  }

  /// `name` says nothing without `other`.
  absl::Status Needs(const std::string& name, const std::string& other) const {
    return Has(name) && !Has(other) ? Wrong(name, absl::StrCat("needs ", other, ", too")) : absl::OkStatus();
  }

  const std::string& Value(const std::string& name) const { return target_.parameters.at(name); }

  absl::Status Wrong(const std::string& name, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("target ", target_.url, ": ", name, "=", Value(name), " ", what));
  }

 private:
  const Target& target_;
};

absl::Status ReadService(const Parameters& parameters, QueueModelSpec& spec) {
  CREST_RETURN_IF_ERROR(parameters.ReadWhole<uint32_t>("servers", 1, 100'000, spec.servers));
  CREST_RETURN_IF_ERROR(parameters.ReadTime("service_time", absl::Minutes(10), spec.service_time_ns));
  if (parameters.Has("law")) {
    const std::string& law = parameters.Value("law");
    if (law != "exponential" && law != "fixed" && law != "lognormal") {
      return parameters.Wrong("law", "is not known; use exponential, fixed or lognormal");
    }
    spec.law = law == "fixed"       ? ServiceLaw::kFixed
               : law == "lognormal" ? ServiceLaw::kLognormal
                                    : ServiceLaw::kExponential;
  }
  if (parameters.Has("cv") && spec.law != ServiceLaw::kLognormal) {
    return parameters.Wrong("cv", "needs law=lognormal; the other laws have no choice of it");
  }
  return parameters.ReadNumber("cv", 0.01, 100, spec.variation);
}

absl::Status ReadStall(const Parameters& parameters, QueueModelSpec& spec) {
  CREST_RETURN_IF_ERROR(parameters.Needs("stall", "stall_every"));
  CREST_RETURN_IF_ERROR(parameters.Needs("stall_every", "stall"));
  if (!parameters.Has("stall")) return absl::OkStatus();
  StallSpec& stall = spec.stall.emplace();
  CREST_RETURN_IF_ERROR(parameters.ReadTime("stall", absl::Hours(1), stall.length_ns));
  CREST_RETURN_IF_ERROR(parameters.ReadTime("stall_every", absl::Hours(24), stall.every_ns));
  if (stall.length_ns >= stall.every_ns) return parameters.Wrong("stall", "is not shorter than stall_every");
  return absl::OkStatus();
}

absl::Status ReadWarming(const Parameters& parameters, QueueModelSpec& spec) {
  CREST_RETURN_IF_ERROR(parameters.Needs("cold", "warm_operations"));
  CREST_RETURN_IF_ERROR(parameters.Needs("warm_operations", "cold"));
  if (!parameters.Has("cold")) return absl::OkStatus();
  WarmingSpec& warming = spec.warming.emplace();
  CREST_RETURN_IF_ERROR(parameters.ReadTime("cold", absl::Minutes(10), warming.cold_ns));
  return parameters.ReadNumber("warm_operations", 1, 1e15, warming.operations);
}

absl::Status ReadOverload(const Parameters& parameters, QueueModelSpec& spec) {
  CREST_RETURN_IF_ERROR(parameters.Needs("overload_capacity", "overload"));
  CREST_RETURN_IF_ERROR(parameters.Needs("overload_recovery", "overload"));
  if (!parameters.Has("overload")) return absl::OkStatus();
  OverloadSpec& overload = spec.overload.emplace();
  CREST_RETURN_IF_ERROR(parameters.ReadWhole<uint64_t>("overload", 1, 1'000'000'000, overload.queue));
  CREST_RETURN_IF_ERROR(parameters.ReadNumber("overload_capacity", 0.01, 1, overload.capacity));
  return parameters.ReadTime("overload_recovery", absl::Hours(1), overload.recovery_ns);
}

absl::Status ReadCliff(const Parameters& parameters, QueueModelSpec& spec) {
  CREST_RETURN_IF_ERROR(parameters.Needs("cliff_factor", "cliff"));
  if (!parameters.Has("cliff")) return absl::OkStatus();
  CliffSpec& cliff = spec.cliff.emplace();
  CREST_RETURN_IF_ERROR(parameters.ReadNumber("cliff", 0.001, 1e9, cliff.ops_per_s));
  return parameters.ReadNumber("cliff_factor", 1, 1e6, cliff.factor);
}

}  // namespace

absl::StatusOr<QueueModelSpec> ParseQueueModel(const Target& target) {
  if (!target.host.empty() || !target.path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "target ", target.url, ": a simulated server has no host or path; write sim://?servers=8&service_time=2ms"));
  }
  CREST_RETURN_IF_ERROR(CheckParameterNames(
      target, {"servers", "service_time", "law", "cv", "stall", "stall_every", "cold", "warm_operations", "overload",
               "overload_capacity", "overload_recovery", "cliff", "cliff_factor", "queue"}));
  const Parameters parameters(target);
  QueueModelSpec spec;
  CREST_RETURN_IF_ERROR(ReadService(parameters, spec));
  CREST_RETURN_IF_ERROR(ReadStall(parameters, spec));
  CREST_RETURN_IF_ERROR(ReadWarming(parameters, spec));
  CREST_RETURN_IF_ERROR(ReadOverload(parameters, spec));
  CREST_RETURN_IF_ERROR(ReadCliff(parameters, spec));
  return spec;
}

}  // namespace crest
