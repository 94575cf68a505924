#include "agent/metrics/agent_metrics.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

std::string Scrape(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text;
  constexpr absl::string_view kRequest = "GET /metrics HTTP/1.0\r\n\r\n";
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      write(fd, kRequest.data(), kRequest.size()) == static_cast<ssize_t>(kRequest.size())) {
    char buffer[4096];
    for (ssize_t got = 0; (got = read(fd, buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  const size_t body = text.find("\r\n\r\n");
  return body == std::string::npos ? "" : text.substr(body + 4);
}

class AgentMetricsTest : public testing::Test {
 protected:
  AgentMetricsTest() {
    const absl::Status status = metrics_.Serve("127.0.0.1:0");
    EXPECT_TRUE(status.ok()) << status;
  }

  void Open() {
    v1::OpenSession open;
    open.set_stream_count(5);
    open.set_agent_count(2);
    open.set_agent_index(0);  // streams 0, 2, 4
    open.mutable_workload()->add_mix()->set_operation(v1::OPERATION_READ);
    open.mutable_workload()->add_mix()->set_operation(v1::OPERATION_LOOKUP);
    metrics_.OnSessionOpened(open);
  }

  static v1::IntervalReport Report() {
    v1::IntervalReport report;
    v1::OperationCounts& read = *report.add_operations();
    read.set_operation(v1::OPERATION_READ);
    read.set_count(10);
    read.set_call_count(12);
    read.set_extra_call_count(1);
    read.set_bytes(4096);
    v1::ErrorCount& error = *read.add_errors();
    error.set_name("NFS3ERR_STALE");
    error.set_count(2);
    report.set_in_flight(3);
    report.set_dropped_count(4);
    report.set_reconnect_count(1);
    return report;
  }

  std::string Text() { return Scrape(metrics_.port()); }

  AgentMetrics metrics_;
};

TEST_F(AgentMetricsTest, LabelsOfTheMixAreThereFromTheStart) {
  EXPECT_THAT(Text(), HasSubstr("crest_session_active 0"));
  Open();
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("crest_operations_total{operation=\"LOOKUP\"} 0"));
  EXPECT_THAT(text, HasSubstr("crest_operation_errors_total{operation=\"READ\",error=\"TIMEOUT\"} 0"));
  EXPECT_THAT(text, HasSubstr("crest_operation_duration_seconds_count{operation=\"READ\",time=\"service\"} 0"));
  EXPECT_THAT(text, HasSubstr("crest_session_active 1"));
}

TEST_F(AgentMetricsTest, CountsAddUpAndGaugesEndWithThePoint) {
  Open();
  v1::StartPoint start;
  start.set_requested_ops_per_sec(1000);
  metrics_.OnPointStarted(start);
  metrics_.OnInterval(Report());
  metrics_.OnInterval(Report());
  std::string text = Text();
  EXPECT_THAT(text, HasSubstr("crest_operations_total{operation=\"READ\"} 20"));
  EXPECT_THAT(text, HasSubstr("crest_operation_calls_total{operation=\"READ\"} 24"));
  EXPECT_THAT(text, HasSubstr("crest_operation_bytes_total{operation=\"READ\"} 8192"));
  EXPECT_THAT(text, HasSubstr("crest_operation_errors_total{operation=\"READ\",error=\"NFS3ERR_STALE\"} 4"));
  EXPECT_THAT(text, HasSubstr("crest_requested_operations_per_second 600"));  // 3 of 5 streams
  EXPECT_THAT(text, HasSubstr("crest_operations_in_flight 3"));
  EXPECT_THAT(text, HasSubstr("crest_dropped_arrivals_total 8"));
  EXPECT_THAT(text, HasSubstr("crest_reconnects_total 2"));
  metrics_.OnPointEnded();
  metrics_.OnSessionClosed();
  text = Text();
  EXPECT_THAT(text, HasSubstr("crest_requested_operations_per_second 0"));
  EXPECT_THAT(text, HasSubstr("crest_operations_in_flight 0"));
  EXPECT_THAT(text, HasSubstr("crest_session_active 0"));
  EXPECT_THAT(text, HasSubstr("crest_operations_total{operation=\"READ\"} 20"));  // counters never go back
}

TEST_F(AgentMetricsTest, DurationsFallIntoClassicBuckets) {
  Open();
  v1::IntervalReport report;
  v1::OperationHistograms& read = *report.add_histograms();
  read.set_operation(v1::OPERATION_READ);
  read.mutable_response()->add_index_delta(0);  // below 50 µs
  read.mutable_response()->add_count(2);
  read.mutable_response()->add_index_delta(4'000'000);  // beyond every bucket: the last
  read.mutable_response()->add_count(1);
  read.mutable_response()->set_sum_ns(2.5e9);
  metrics_.OnInterval(report);
  const std::string text = Text();
  const std::string bucket = "crest_operation_duration_seconds_bucket{operation=\"READ\",time=\"response\",le=";
  EXPECT_THAT(text, HasSubstr(absl::StrCat(bucket, "\"5e-05\"} 2")));
  EXPECT_THAT(text, HasSubstr(absl::StrCat(bucket, "\"10\"} 2")));
  EXPECT_THAT(text, HasSubstr(absl::StrCat(bucket, "\"+Inf\"} 3")));
  EXPECT_THAT(text, HasSubstr("crest_operation_duration_seconds_sum{operation=\"READ\",time=\"response\"} 2.5"));
}

TEST_F(AgentMetricsTest, PromtoolHasNothingToSay) {
  Open();
  metrics_.OnInterval(Report());
  const std::string text = Text();
  ASSERT_THAT(text, HasSubstr("crest_build_info{version="));
  FILE* const promtool = popen("promtool check metrics 2>&1 >/dev/null", "w");
  ASSERT_NE(promtool, nullptr);
  EXPECT_EQ(fwrite(text.data(), 1, text.size(), promtool), text.size());
  EXPECT_EQ(pclose(promtool), 0);
}

TEST_F(AgentMetricsTest, PortInUse) {
  AgentMetrics second;
  const absl::Status status = second.Serve(absl::StrCat("127.0.0.1:", metrics_.port()));
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--metrics off"));
}

}  // namespace
}  // namespace crest
