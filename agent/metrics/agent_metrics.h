// An agent's figures for Prometheus. The only folder of the agent that sees prometheus-cpp.
#ifndef CREST_AGENT_METRICS_AGENT_METRICS_H_
#define CREST_AGENT_METRICS_AGENT_METRICS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "agent/service/session_observer.h"

namespace crest {

/// Sums up the interval reports that pass on their way to prime; nothing is recorded twice, and a scrape only formats
/// the sums. Counts are as fresh as the last second; histograms of durations come with the reports that carry them,
/// every 10 s and at the end of a load point. Counters live as long as the program, as Prometheus expects; gauges are 0
/// between load points. Operations of the session's mix are there from its opening on, with 0. Thread-safe.
class AgentMetrics final : public SessionObserver {
 public:
  AgentMetrics();
  ~AgentMetrics() override;

  /// Answers GET /metrics at "127.0.0.1:9460" or "[::1]:9460" (an IP address; port 0: any free one) until destruction.
  /// AlreadyExists when the port is in use.
  absl::Status Serve(const std::string& address);
  /// The port that was taken; 0 before Serve.
  int port() const;

  void OnSessionOpened(const v1::OpenSession& open) override;
  void OnPointStarted(const v1::StartPoint& start) override;
  void OnInterval(const v1::IntervalReport& report) override;
  void OnPointEnded() override;
  void OnSessionClosed() override;

 private:
  class Totals;
  class Endpoint;
  std::shared_ptr<Totals> totals_;
  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace crest

#endif  // CREST_AGENT_METRICS_AGENT_METRICS_H_
