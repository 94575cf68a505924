#include "prime/spec/check.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/address.h"
#include "base/printable.h"
#include "base/status.h"
#include "prime/observe/http_get.h"
#include "prime/spec/durations.h"
#include "prime/spec/spec.h"
#include "prime/spec/targets.h"
#include "workloads/validate.h"

namespace crest {
namespace {

constexpr size_t kMaxNameBytes = 200;
constexpr size_t kMaxTargets = 1000;
constexpr size_t kMaxAgents = 10000;
constexpr int kMaxPoints = 1000;
constexpr double kMaxRate = 1e9;
constexpr int kMaxQueries = 100;
constexpr size_t kMaxQueryNameBytes = 60;
constexpr size_t kMaxQueryBytes = 4000;  // as a part of a URL

std::string Indexed(absl::string_view list, int i) { return absl::StrCat(list, "[", i, "]"); }

// Appends the agents that one entry stands for.
absl::Status ExpandAgent(const v1::AgentSpec& entry, absl::flat_hash_set<std::string>& seen,
                         std::vector<v1::AgentSpec>& expanded) {
  CREST_ASSIGN_OR_RETURN(const std::vector<std::string> names, ExpandRange(entry.address()));
  for (const std::string& name : names) {
    CREST_ASSIGN_OR_RETURN(const Address address, ParseAddress(name));
    if (address.unix_path.empty() && address.port == 0) {
      return absl::InvalidArgumentError("port 0 cannot be dialled; give the port that the agent listens on");
    }
    if (!seen.insert(address.ToString()).second) {
      return absl::InvalidArgumentError(absl::StrCat(address.ToString(), " is listed twice; an agent takes part once"));
    }
    expanded.emplace_back(entry).set_address(address.ToString());
  }
  return absl::OkStatus();
}

void CheckTargets(const v1::RunSpec& spec, Complaints& complaints) {
  if (spec.target().empty()) {
    complaints.Add("target", "is missing; say what to measure, as in target: nfs://filer/export");
  }
  if (static_cast<size_t>(spec.target_size()) > kMaxTargets) complaints.Add("target", "lists more than 1,000 targets");
  std::string first;
  for (int i = 0; i < spec.target_size(); ++i) {
    const std::string& url = spec.target(i);
    if (const absl::Status status = CheckTarget(url); !status.ok()) {
      complaints.Add(Indexed("target", i), "\"", url, "\": ", std::string(status.message()));
      continue;
    }
    const std::string scheme = *TargetScheme(url);
    if (first.empty()) first = scheme;
    if (scheme != first) {
      complaints.Add(Indexed("target", i), "is of scheme ", scheme, ", but the targets before it are of ", first,
                     "; all targets of a run have one scheme");
    }
  }
}

// Writes out ranges; each address is checked once whole.
void CheckAgents(v1::RunSpec& spec, Complaints& complaints) {
  std::vector<v1::AgentSpec> expanded;
  absl::flat_hash_set<std::string> seen;
  for (int i = 0; i < spec.agents_size(); ++i) {
    const absl::Status status = ExpandAgent(spec.agents(i), seen, expanded);
    if (!status.ok()) {
      complaints.Add(absl::StrCat(Indexed("agents", i), ".address"), std::string(status.message()));
    }
  }
  if (expanded.size() > kMaxAgents) complaints.Add("agents", "lists more than 10,000 agents");
  spec.clear_agents();
  for (v1::AgentSpec& agent : expanded) *spec.add_agents() = std::move(agent);
}

void CheckRate(double rate, const std::string& path, Complaints& complaints) {
  if (!(rate > 0)) complaints.Add(path, "must be above 0 operations a second");
  if (rate > kMaxRate) complaints.Add(path, "is above 1,000,000,000 operations a second; is it meant so?");
}

void CheckCurve(const v1::LoadSpec& load, Complaints& complaints) {
  if (!load.rates().empty()) {
    complaints.Add("load.rates", "belongs to plan: steps; a curve takes peak and points");
  }
  if (!load.has_peak()) {
    complaints.Add("load.peak", "is missing; give the highest rate to request, as in peak: 5000");
  } else {
    CheckRate(load.peak(), "load.peak", complaints);
  }
  if (load.points() > kMaxPoints) complaints.Add("load.points", "must be 1 to 1,000");
}

void CheckSteps(const v1::LoadSpec& load, Complaints& complaints) {
  if (load.has_peak()) complaints.Add("load.peak", "belongs to plan: curve; steps take rates");
  if (load.points() != 0) complaints.Add("load.points", "belongs to plan: curve; steps take rates");
  if (load.rates().empty()) {
    complaints.Add("load.rates", "is missing; list the rates to request, as in rates: [1000, 2000, 5000]");
  }
  if (load.rates_size() > kMaxPoints) complaints.Add("load.rates", "lists more than 1,000 rates");
  for (int i = 0; i < load.rates_size(); ++i) CheckRate(load.rates(i), Indexed("load.rates", i), complaints);
}

void CheckLoad(const v1::LoadSpec& load, Complaints& complaints) {
  // Defaults are filled in, so a 0 where proto3 knows no presence was written by the user.
  if (complaints.WasWritten("load.points") && load.points() == 0) complaints.Add("load.points", "must be 1 to 1,000");
  if (load.plan() == v1::LOAD_PLAN_STEPS) {
    CheckSteps(load, complaints);
  } else {
    CheckCurve(load, complaints);
  }
  if (FromProto(load.measure()) <= absl::ZeroDuration()) {
    complaints.Add("load.measure", "must be above 0; it is how long each load point is measured, as in 300s");
  }
  if (FromProto(load.max_backlog()) <= absl::ZeroDuration()) complaints.Add("load.max_backlog", "must be above 0");
  if (load.has_streams() && load.streams() == 0) {
    complaints.Add("load.streams", "must be at least 1; leave it out, or write auto, for a number that suits the load");
  }
}

void CheckLimit(const v1::LimitSpec& limit, Complaints& complaints) {
  if (FromProto(limit.mean()) <= absl::ZeroDuration()) {
    complaints.Add("limit.mean", "must be above 0; SPECsfs2008's limit is 20ms");
  }
  if (limit.has_p99() && FromProto(limit.p99()) <= absl::ZeroDuration()) {
    complaints.Add("limit.p99", "must be above 0");
  }
}

void CheckValidity(const v1::ValiditySpec& validity, const std::string& path, Complaints& complaints) {
  if (validity.has_achieved() && validity.achieved() <= 0) {
    complaints.Add(path + ".achieved", "must be above 0 %; the default is 98%");
  }
  if (validity.has_mix() && validity.mix() <= 0) complaints.Add(path + ".mix", "must be above 0 %");
  if (validity.has_schedule_lag() && FromProto(validity.schedule_lag()) <= absl::ZeroDuration()) {
    complaints.Add(path + ".schedule_lag", "must be above 0; the default is 100us");
  }
}

void CheckQuery(const v1::ObserveQuery& query, const std::string& path, Complaints& complaints) {
  if (query.name().empty() || query.name().size() > kMaxQueryNameBytes || Printable(query.name()) != query.name()) {
    complaints.Add(path + ".name", "must be 1 to 60 bytes of text on one line; it names a column");
  }
  if (query.query().empty() || query.query().size() > kMaxQueryBytes) {
    complaints.Add(path + ".query",
                   "must be PromQL of at most 4,000 bytes, as in avg(rate(node_cpu_seconds_total[10s]))");
  }
}

void CheckObserve(const v1::ObserveSpec& observe, Complaints& complaints) {
  if (observe.prometheus().empty()) {
    complaints.Add("observe.prometheus", "is missing; give the server's URL, as in http://monitor:9090");
  } else if (const absl::Status status = CheckHttpUrl(observe.prometheus()); !status.ok()) {
    complaints.Add("observe.prometheus", std::string(status.message()));
  }
  if (observe.queries().empty()) {
    complaints.Add("observe.queries", "is missing; name figures, as in queries: {cpu: 'avg(filer_cpu_ratio)'}");
  }
  if (observe.queries_size() > kMaxQueries) complaints.Add("observe.queries", "lists more than 100 queries");
  absl::flat_hash_set<std::string> seen;
  for (int i = 0; i < observe.queries_size(); ++i) {
    const std::string path = Indexed("observe.queries", i);
    CheckQuery(observe.queries(i), path, complaints);
    if (!seen.insert(observe.queries(i).name()).second) {
      complaints.Add(path + ".name", "\"", observe.queries(i).name(), "\" is given twice; each names a column");
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<v1::AgentSpec>> ParseAgents(const std::vector<std::string>& list) {
  std::vector<v1::AgentSpec> expanded;
  absl::flat_hash_set<std::string> seen;
  for (const std::string& text : list) {
    v1::AgentSpec entry;
    entry.set_address(text);
    CREST_RETURN_IF_ERROR(ExpandAgent(entry, seen, expanded));
  }
  return expanded;
}

void CheckSpec(v1::RunSpec& spec, Complaints& complaints) {
  if (spec.name().size() > kMaxNameBytes) complaints.Add("name", "is longer than 200 bytes");
  CheckTargets(spec, complaints);
  CheckAgents(spec, complaints);
  CheckLoad(spec.load(), complaints);
  CheckLimit(spec.limit(), complaints);
  CheckValidity(spec.validity(), "validity", complaints);
  if (spec.has_observe()) CheckObserve(spec.observe(), complaints);
  CheckValidity(spec.workload().validity(), "workload.validity", complaints);
  if (spec.workload().has_limit() && FromProto(spec.workload().limit()) <= absl::ZeroDuration()) {
    complaints.Add("workload.limit", "must be above 0");
  }
  for (const FieldError& error : ValidateWorkload(spec.workload())) {
    complaints.Add(JoinPath("workload", error.path), error.message);
  }
}

}  // namespace crest
