#include "agent/metrics/agent_metrics.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/metrics/duration_buckets.h"
#include "base/version.h"
#include "prometheus/collectable.h"
#include "prometheus/exposer.h"
#include "prometheus/metric_family.h"

namespace crest {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// Errors that every engine can have: there from the start, so that rate() sees the first of them.
constexpr const char* kCommonErrors[] = {"CONNECTION_LOST", "TIMEOUT"};

struct OperationTotals {
  double count = 0;
  double calls = 0;
  double extra_calls = 0;
  double bytes = 0;
  std::map<std::string, double> errors;
  DurationBuckets response;
  DurationBuckets service;
};

std::string NameOf(v1::OperationKind kind) {
  return std::string(absl::StripPrefix(v1::OperationKind_Name(kind), "OPERATION_"));
}

MetricFamily Family(const char* name, MetricType type, const char* help) { return {name, help, type, {}}; }

void AddValue(MetricFamily& family, double value, Labels labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family.metric.push_back(std::move(metric));
}

MetricFamily Single(const char* name, MetricType type, const char* help, double value) {
  MetricFamily family = Family(name, type, help);
  AddValue(family, value);
  return family;
}

void AddHistogram(MetricFamily& family, const DurationBuckets& buckets, Labels labels) {
  ClientMetric metric = buckets.ToMetric();
  metric.label = std::move(labels);
  family.metric.push_back(std::move(metric));
}

// How many of the run's streams are this agent's: those with number mod agent_count = agent_index.
double OwnStreams(const v1::OpenSession& open) {
  if (open.agent_count() == 0) return 0;
  const uint32_t rest = open.stream_count() % open.agent_count();
  return open.stream_count() / open.agent_count() + (open.agent_index() < rest ? 1 : 0);
}

}  // namespace

class AgentMetrics::Totals final : public prometheus::Collectable {
 public:
  std::vector<MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    std::vector<MetricFamily> families;
    CollectOperations(families);
    MetricFamily lag =
        Family("crest_schedule_lag_seconds", MetricType::Histogram,
               "Delay between the moment an operation was due and the moment it was sent, where a stream was free.");
    AddHistogram(lag, lag_, {});
    families.push_back(std::move(lag));
    families.push_back(Single("crest_requested_operations_per_second", MetricType::Gauge,
                              "This agent's share of the rate that the current load point asks for; 0 between points.",
                              requested_));
    families.push_back(Single("crest_operations_in_flight", MetricType::Gauge,
                              "Operations sent and not done, at the end of the last interval.", in_flight_));
    families.push_back(Single("crest_dropped_arrivals_total", MetricType::Counter,
                              "Arrivals never sent, because they waited longer than the backlog allows.", dropped_));
    families.push_back(Single("crest_reconnects_total", MetricType::Counter,
                              "Connections to the targets made anew after a loss.", reconnects_));
    families.push_back(Single("crest_session_active", MetricType::Gauge, "1 while a prime holds this agent.",
                              session_active_ ? 1 : 0));
    MetricFamily build = Family("crest_build_info", MetricType::Gauge, "1; the version is in the label.");
    AddValue(build, 1, {{"version", kVersion}});
    families.push_back(std::move(build));
    return families;
  }

  void Open(const v1::OpenSession& open) {
    const std::lock_guard lock(mutex_);
    session_active_ = true;
    own_share_ = open.stream_count() == 0 ? 0 : OwnStreams(open) / open.stream_count();
    for (const v1::OperationShare& share : open.workload().mix()) Of(share.operation());
  }

  void StartPoint(const v1::StartPoint& start) {
    const std::lock_guard lock(mutex_);
    requested_ = start.requested_ops_per_sec() * own_share_;
  }

  void Add(const v1::IntervalReport& report) {
    const std::lock_guard lock(mutex_);
    for (const v1::OperationCounts& counts : report.operations()) {
      OperationTotals& totals = Of(counts.operation());
      totals.count += static_cast<double>(counts.count());
      totals.calls += static_cast<double>(counts.call_count());
      totals.extra_calls += static_cast<double>(counts.extra_call_count());
      totals.bytes += static_cast<double>(counts.bytes());
      for (const v1::ErrorCount& error : counts.errors())
        totals.errors[error.name()] += static_cast<double>(error.count());
    }
    for (const v1::OperationHistograms& histograms : report.histograms()) {
      OperationTotals& totals = Of(histograms.operation());
      totals.response.Add(histograms.response());
      totals.service.Add(histograms.service());
    }
    lag_.Add(report.schedule_lag());
    dropped_ += static_cast<double>(report.dropped_count());
    reconnects_ += static_cast<double>(report.reconnect_count());
    in_flight_ = static_cast<double>(report.in_flight());
  }

  void EndPoint() {
    const std::lock_guard lock(mutex_);
    requested_ = 0;
    in_flight_ = 0;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    session_active_ = false;
  }

 private:
  OperationTotals& Of(v1::OperationKind kind) {
    const auto [entry, is_new] = operations_.try_emplace(NameOf(kind));
    if (is_new) {
      for (const char* error : kCommonErrors) entry->second.errors[error] = 0;
    }
    return entry->second;
  }

  void CollectOperations(std::vector<MetricFamily>& families) const {
    MetricFamily count = Family("crest_operations_total", MetricType::Counter, "Successful logical operations done.");
    MetricFamily errors =
        Family("crest_operation_errors_total", MetricType::Counter, "Failed operations, by the error's name.");
    MetricFamily bytes =
        Family("crest_operation_bytes_total", MetricType::Counter, "Bytes read or written by successful operations.");
    MetricFamily calls =
        Family("crest_operation_calls_total", MetricType::Counter, "Protocol calls that the operations took.");
    MetricFamily extra = Family("crest_operation_extra_calls_total", MetricType::Counter,
                                "Protocol calls outside the mix: retries, repeated look-ups.");
    MetricFamily duration =
        Family("crest_operation_duration_seconds", MetricType::Histogram,
               "Time to completion of successful operations, from due (response) or from sent (service).");
    for (const auto& [name, totals] : operations_) {
      AddValue(count, totals.count, {{"operation", name}});
      for (const auto& [error, failed] : totals.errors)
        AddValue(errors, failed, {{"operation", name}, {"error", error}});
      AddValue(bytes, totals.bytes, {{"operation", name}});
      AddValue(calls, totals.calls, {{"operation", name}});
      AddValue(extra, totals.extra_calls, {{"operation", name}});
      AddHistogram(duration, totals.response, {{"operation", name}, {"time", "response"}});
      AddHistogram(duration, totals.service, {{"operation", name}, {"time", "service"}});
    }
    for (MetricFamily* family : {&count, &errors, &bytes, &calls, &extra, &duration}) {
      if (!family->metric.empty()) families.push_back(std::move(*family));
    }
  }

  mutable std::mutex mutex_;
  std::map<std::string, OperationTotals> operations_;  // by name
  DurationBuckets lag_;
  double dropped_ = 0;
  double reconnects_ = 0;
  double in_flight_ = 0;
  double requested_ = 0;
  double own_share_ = 0;
  bool session_active_ = false;
};

class AgentMetrics::Endpoint {
 public:
  Endpoint(const std::string& address, const std::shared_ptr<Totals>& totals) : exposer_(address, 1) {
    exposer_.RegisterCollectable(totals);
  }
  int port() const {
    const std::vector<int> ports = exposer_.GetListeningPorts();
    return ports.empty() ? 0 : ports[0];
  }

 private:
  prometheus::Exposer exposer_;
};

AgentMetrics::AgentMetrics() : totals_(std::make_shared<Totals>()) {}
AgentMetrics::~AgentMetrics() = default;

absl::Status AgentMetrics::Serve(const std::string& address) {
  try {
    endpoint_ = std::make_unique<Endpoint>(address, totals_);
  } catch (const std::exception&) {  // the library's message says no more than that it failed
    return absl::AlreadyExistsError(absl::StrCat(
        "--metrics ", address,
        ": cannot listen; the port is in use, perhaps by another crest-agent, or this is no IP address and port of "
        "this host. Choose another with --metrics, or --metrics off"));
  }
  return absl::OkStatus();
}

int AgentMetrics::port() const { return endpoint_ == nullptr ? 0 : endpoint_->port(); }

void AgentMetrics::OnSessionOpened(const v1::OpenSession& open) { totals_->Open(open); }
void AgentMetrics::OnPointStarted(const v1::StartPoint& start) { totals_->StartPoint(start); }
void AgentMetrics::OnInterval(const v1::IntervalReport& report) { totals_->Add(report); }
void AgentMetrics::OnPointEnded() { totals_->EndPoint(); }
void AgentMetrics::OnSessionClosed() { totals_->Close(); }

}  // namespace crest
