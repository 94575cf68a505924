#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "results/report.h"

namespace crest {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

v1::RunResult Result() {
  v1::RunResult result;
  result.set_run_id("20260102T030405Z-filer-a");
  result.set_status(v1::COMPLETE);
  result.mutable_spec()->add_target("nfs://filer-a/export/a b");
  result.mutable_spec()->mutable_workload()->set_profile("sfs2008-nfs");
  v1::Summary* summary = result.mutable_summary();
  summary->set_peak_ops_per_sec(1998.4);
  summary->set_overall_response_time_ms(1.2345);
  summary->set_ort_rule("sfs2008");
  summary->set_limit_ms(20);
  summary->set_valid(true);
  summary->set_peak_point(2);
  summary->set_limit_reached(true);
  summary->set_response_time("sent");
  for (uint32_t index = 1; index <= 3; ++index) {
    v1::LoadPoint* point = result.add_points();
    point->set_index(index);
    point->set_requested_ops_per_sec(index * 1000);
    point->set_achieved_ops_per_sec(index * 1000 - 1.6);
    point->set_mean_response_ms(index * 1.5);
    point->set_mean_service_ms(index * 1.25);
    if (index > 1) point->set_p95_ms(index * 3);
    if (index > 1) point->set_p99_ms(index * 11);
    point->set_valid(index < 3);
    point->set_within_limit(true);
    v1::LoadPointOperation* operation = point->add_operations();
    operation->set_name("READDIRPLUS");
    operation->set_target_share(0.02);
    operation->set_share(0.0203);
    operation->set_count(12180);
    operation->set_mean_ms(2.5);
    operation->set_p99_ms(9.75);
  }
  v1::Finding* finding = result.mutable_points(2)->add_findings();
  finding->set_code("errors");
  finding->set_severity(v1::INVALID);
  finding->set_message("Too many operations failed.");
  finding->set_evidence("12 of 100");
  result.mutable_points(2)->set_error_count(12);
  finding = result.add_findings();
  finding->set_code("not_spec");
  finding->set_severity(v1::NOTE);
  finding->set_message("This is not a SPEC result.");
  return result;
}

TEST(TextReportTest, Golden) {
  EXPECT_EQ(TextReport(Result(), false), R"(Run       20260102T030405Z-filer-a
Target    nfs://filer-a/export/a b
Workload  sfs2008-nfs
Status    COMPLETE, valid

Load points. Response time is the service time, sent to done; all times in ms.
  #   req ops/s   ach ops/s       mean        p95        p99    service    errors  mark
  1       1,000       998.4      1.500          -          -      1.250         0
  2       2,000       1,998      3.000      6.000     22.000      2.500         0  peak
  3       3,000       2,998      4.500      9.000     33.000      3.750        12  invalid: errors
Percentiles are exact to 0.4 %; - stands where fewer than ten samples lie beyond.

Operations of load point 2, the peak.
operation    target %  actual %        count       mean        p99    errors
READDIRPLUS      2.00      2.03        12180      2.500      9.750         0

NOTE not_spec: This is not a SPEC result.
INVALID errors in load point 3: Too many operations failed.
    12 of 100

Peak: 1,998 ops/s within 20 ms
Overall response time (ORT, rule sfs2008): 1.23 ms
)");
}

TEST(TextReportTest, WithoutAPeakTheLastLinesSaySo) {
  v1::RunResult result = Result();
  result.mutable_summary()->set_peak_point(0);
  result.mutable_summary()->set_valid(false);
  result.set_status(v1::PARTIAL);
  result.set_status_reason("interrupted");
  const std::string text = TextReport(result, false);
  EXPECT_THAT(text, EndsWith("Peak: none, no load point is valid and within 20 ms\n"
                             "Overall response time (ORT, rule sfs2008): none\n"));
  EXPECT_THAT(text, HasSubstr("Status    PARTIAL, not valid: interrupted\n"));
  EXPECT_THAT(text, Not(HasSubstr("Operations of load point")));
}

TEST(TextReportTest, PointsOverTheLimitAndWarningsAreMarked) {
  v1::RunResult result = Result();
  result.mutable_points(2)->clear_findings();
  result.mutable_points(2)->set_valid(true);
  result.mutable_points(2)->set_within_limit(false);
  v1::Finding* finding = result.mutable_points(1)->add_findings();
  finding->set_code("reconnected");
  finding->set_severity(v1::WARNING);
  const std::string text = TextReport(result, false);
  EXPECT_THAT(text, HasSubstr("  over limit\n"));
  EXPECT_THAT(text, HasSubstr("  peak, reconnected\n"));
}

TEST(TextReportTest, ColoursOnlyWhenAsked) {
  EXPECT_THAT(TextReport(Result(), false), Not(HasSubstr("\x1b")));
  const std::string text = TextReport(Result(), true);
  EXPECT_THAT(text, HasSubstr("\x1b[31minvalid: errors\x1b[0m"));
  EXPECT_THAT(text, EndsWith("\x1b[1mOverall response time (ORT, rule sfs2008): 1.23 ms\x1b[0m\n"));
}

TEST(TextReportTest, HostileNamesInjectNothing) {
  constexpr char kHostile[] = "\x1b[2J\nPeak: 9,999 ops/s\x9b";
  v1::RunResult result = Result();
  result.set_run_id(kHostile);
  result.set_status(v1::PARTIAL);
  result.set_status_reason(kHostile);
  result.mutable_spec()->set_target(0, kHostile);
  result.mutable_spec()->mutable_workload()->set_profile(kHostile);
  result.mutable_summary()->set_ort_rule(kHostile);
  for (v1::LoadPoint& point : *result.mutable_points()) {
    point.mutable_operations(0)->set_name(kHostile);
    v1::Finding* finding = point.add_findings();
    finding->set_severity(v1::INVALID);
    finding->set_code(kHostile);
    finding->set_message(kHostile);
    finding->set_evidence(kHostile);
  }
  const std::string text = TextReport(result, false);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x9b")));
  EXPECT_THAT(text, Not(HasSubstr("\nPeak: 9,999")));
}

TEST(TextReportTest, AnEmptyResultIsStillAReport) {
  EXPECT_THAT(TextReport(v1::RunResult(), false), HasSubstr("Peak: none"));
}

}  // namespace
}  // namespace crest
