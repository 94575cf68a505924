#include "results/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "results/histogram.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000'000;
constexpr double kWindow = 100;  // s

v1::RunHeader Header() {
  v1::RunHeader header;
  header.set_run_id("20260102T030405Z-test");
  header.set_streams(64);
  header.mutable_spec()->set_name("test");
  v1::Workload* workload = header.mutable_spec()->mutable_workload();
  workload->set_name("mine");
  for (const auto& [kind, share] : {std::pair(v1::OPERATION_READ, 0.75), {v1::OPERATION_WRITE, 0.25}}) {
    v1::OperationShare* entry = workload->add_mix();
    entry->set_operation(kind);
    entry->set_share(share);
  }
  return header;
}

v1::Histogram Constant(int64_t ns, int count) {
  Histogram histogram;
  for (int i = 0; i < count; ++i) histogram.Record(ns);
  return histogram.ToProto();
}

// A point that keeps every rule: `rate` achieved as requested, each operation `ms` from due and half of it in service.
v1::PointData Point(uint32_t index, double rate, double ms) {
  v1::PointData point;
  point.set_index(index);
  point.set_requested_ops_per_sec(rate);
  point.set_measured_ns(static_cast<int64_t>(kWindow) * kSecond);
  const int total = static_cast<int>(rate * kWindow);
  const int64_t ns = static_cast<int64_t>(ms * 1e6);
  for (const auto& [kind, count] :
       {std::pair(v1::OPERATION_READ, total - total / 4), {v1::OPERATION_WRITE, total / 4}}) {
    v1::OperationData* operation = point.add_operations();
    operation->mutable_counts()->set_operation(kind);
    operation->mutable_counts()->set_count(count);
    operation->mutable_counts()->set_call_count(count);
    operation->mutable_counts()->set_bytes(count * 4096LL);
    operation->mutable_histograms()->set_operation(kind);
    *operation->mutable_histograms()->mutable_response() = Constant(ns, count);
    *operation->mutable_histograms()->mutable_service() = Constant(ns / 2, count);
  }
  *point.mutable_response() = Constant(ns, total);
  *point.mutable_service() = Constant(ns / 2, total);
  *point.mutable_schedule_lag() = Constant(20'000, total);
  v1::AgentData* agent = point.add_agents();
  agent->set_address("a:7460");
  agent->set_count(total);
  agent->set_mean_response_ns(static_cast<double>(ns));
  agent->set_mean_service_ns(static_cast<double>(ns) / 2);
  agent->set_agent_cpu_seconds(1);
  return point;
}

void AddErrors(int64_t count, const std::string& name, v1::PointData* point) {
  v1::ErrorCount* error = point->mutable_operations(0)->mutable_counts()->add_errors();
  error->set_name(name);
  error->set_count(count);
}

const v1::Finding* Find(const google::protobuf::RepeatedPtrField<v1::Finding>& findings, const std::string& code) {
  for (const v1::Finding& finding : findings) {
    if (finding.code() == code) return &finding;
  }
  return nullptr;
}

// The point has the finding, with that severity, and is valid unless that is INVALID.
void ExpectFinding(const v1::RunHeader& header, const v1::PointData& data, const std::string& code,
                   v1::Severity severity, const std::string& evidence) {
  const v1::LoadPoint point = JudgePoint(header, data);
  const v1::Finding* finding = Find(point.findings(), code);
  ASSERT_NE(finding, nullptr) << point.ShortDebugString();
  EXPECT_EQ(finding->severity(), severity);
  EXPECT_THAT(finding->evidence(), HasSubstr(evidence));
  EXPECT_FALSE(finding->message().empty());
  EXPECT_EQ(point.valid(), severity != v1::INVALID);
}

// ---- figures ---------------------------------------------------------------------------------------------------

TEST(JudgePointTest, FiguresOfAGoodPoint) {
  const v1::LoadPoint point = JudgePoint(Header(), Point(2, 100, 4));
  EXPECT_TRUE(point.valid());
  EXPECT_TRUE(point.within_limit());
  EXPECT_THAT(point.findings(), IsEmpty());
  EXPECT_EQ(point.index(), 2u);
  EXPECT_DOUBLE_EQ(point.achieved_ops_per_sec(), 100);
  EXPECT_DOUBLE_EQ(point.mean_response_ms(), 4);
  EXPECT_DOUBLE_EQ(point.mean_due_ms(), 4);
  EXPECT_DOUBLE_EQ(point.mean_service_ms(), 2);
  EXPECT_DOUBLE_EQ(point.mean_wait_ms(), 2);
  EXPECT_DOUBLE_EQ(point.p99_ms(), 4);
  EXPECT_DOUBLE_EQ(point.p99_service_ms(), 2);
  EXPECT_DOUBLE_EQ(point.p999_ms(), 4);
  EXPECT_DOUBLE_EQ(point.max_ms(), 4);
  EXPECT_DOUBLE_EQ(point.schedule_lag_p99_ms(), 0.02);
  EXPECT_DOUBLE_EQ(point.measured_seconds(), kWindow);
  EXPECT_DOUBLE_EQ(point.operation_count(), 10'000);
  EXPECT_DOUBLE_EQ(point.read_bytes_per_sec(), 75 * 4096);
  EXPECT_DOUBLE_EQ(point.write_bytes_per_sec(), 25 * 4096);
  ASSERT_EQ(point.operations_size(), 2);
  EXPECT_EQ(point.operations(0).name(), "READ");
  EXPECT_DOUBLE_EQ(point.operations(0).share(), 0.75);
  EXPECT_DOUBLE_EQ(point.operations(0).target_share(), 0.75);
  EXPECT_DOUBLE_EQ(point.operations(1).mean_ms(), 4);
  EXPECT_DOUBLE_EQ(point.agents(0).achieved_ops_per_sec(), 100);
  EXPECT_DOUBLE_EQ(point.agents(0).agent_cpu_us_per_operation(), 100);
}

TEST(JudgePointTest, SentMakesServiceTheHeadline) {
  v1::RunHeader header = Header();
  header.mutable_spec()->mutable_workload()->set_response_time(v1::RESPONSE_TIME_SENT);
  const v1::LoadPoint point = JudgePoint(header, Point(1, 100, 4));
  EXPECT_DOUBLE_EQ(point.mean_response_ms(), 2);
  EXPECT_DOUBLE_EQ(point.p99_ms(), 2);
  EXPECT_DOUBLE_EQ(point.mean_due_ms(), 4);
  EXPECT_DOUBLE_EQ(point.p99_due_ms(), 4);
  EXPECT_DOUBLE_EQ(point.operations(0).mean_ms(), 2);
  EXPECT_DOUBLE_EQ(point.agents(0).mean_response_ms(), 2);
}

TEST(JudgePointTest, PercentilesNeedTenSamplesBeyond) {
  const v1::LoadPoint point = JudgePoint(Header(), Point(1, 9, 4));  // 900 operations
  EXPECT_TRUE(point.has_p50_ms());
  EXPECT_TRUE(point.has_p95_ms());
  EXPECT_FALSE(point.has_p99_ms());
  EXPECT_FALSE(point.has_p999_ms());
  EXPECT_FALSE(point.has_p99_due_ms());
  EXPECT_FALSE(point.has_schedule_lag_p99_ms());
}

TEST(JudgePointTest, UnfinishedOperationsEnterAtTheirAge) {
  v1::PointData data = Point(1, 100, 4);
  data.set_unfinished_count(200);  // of 10,200: beyond the 99th percentile
  *data.mutable_unfinished_age() = Constant(30 * kSecond, 200);
  const v1::LoadPoint point = JudgePoint(Header(), data);
  EXPECT_NEAR(point.p99_ms(), 30'000, 30'000 / 256.0);
  EXPECT_DOUBLE_EQ(point.max_ms(), 30'000);
  EXPECT_NEAR(point.p99_due_ms(), 30'000, 30'000 / 256.0);
  EXPECT_NEAR(point.p50_ms(), 4, 4 / 256.0);
  EXPECT_DOUBLE_EQ(point.mean_response_ms(), 4);
  EXPECT_DOUBLE_EQ(point.unfinished_count(), 200);
}

TEST(JudgePointTest, AnEmptyPointHasZerosAndIsNotValid) {
  v1::PointData data;
  data.set_index(1);
  data.set_requested_ops_per_sec(100);
  const v1::LoadPoint point = JudgePoint(Header(), data);
  EXPECT_FALSE(point.valid());
  EXPECT_FALSE(point.within_limit());
  EXPECT_EQ(point.achieved_ops_per_sec(), 0);
  EXPECT_EQ(point.operations_size(), 2);  // the mix, none of it done
  EXPECT_NE(Find(point.findings(), "interrupted"), nullptr);
}

// ---- validity --------------------------------------------------------------------------------------------------

TEST(ValidityTest, Achieved) {
  v1::PointData data = Point(1, 100, 4);
  data.set_requested_ops_per_sec(102);
  EXPECT_TRUE(JudgePoint(Header(), data).valid());
  data.set_requested_ops_per_sec(103);
  ExpectFinding(Header(), data, "achieved_below_requested", v1::INVALID, "achieved 100.0 of 103.0 ops/s (97.1 %)");
  v1::RunHeader header = Header();
  header.mutable_spec()->mutable_workload()->mutable_validity()->set_achieved(0.95);
  EXPECT_TRUE(JudgePoint(header, data).valid());
  header.mutable_spec()->mutable_validity()->set_achieved(0.99);  // the spec's own wins
  EXPECT_FALSE(JudgePoint(header, data).valid());
}

TEST(ValidityTest, Errors) {
  v1::PointData data = Point(1, 100, 4);
  AddErrors(100, "NFS3ERR_IO", &data);  // of 10,100: below 1 %
  ExpectFinding(Header(), data, "errors", v1::NOTE, "100 READ NFS3ERR_IO");
  AddErrors(2, "TIMEOUT", &data);
  ExpectFinding(Header(), data, "errors", v1::INVALID, "102 of 10102 operations failed");
  v1::RunHeader header = Header();
  header.mutable_spec()->mutable_validity()->set_errors(0.05);
  EXPECT_TRUE(JudgePoint(header, data).valid());
}

TEST(ValidityTest, MixByPointsOrBySigma) {
  // 75 % of 10,000: σ is 0.433 points, so 3 σ (1.3) is the larger bound.
  v1::PointData data = Point(1, 100, 4);
  data.mutable_operations(0)->mutable_counts()->set_count(7620);
  data.mutable_operations(1)->mutable_counts()->set_count(2380);
  EXPECT_TRUE(JudgePoint(Header(), data).valid());
  data.mutable_operations(0)->mutable_counts()->set_count(7640);
  data.mutable_operations(1)->mutable_counts()->set_count(2360);
  ExpectFinding(Header(), data, "mix_off_target", v1::INVALID, "READ 76.40 % instead of 75.00 %");
  v1::RunHeader header = Header();
  header.mutable_spec()->mutable_validity()->set_mix(0.02);
  EXPECT_TRUE(JudgePoint(header, data).valid());
  // Of 10 million, 3 σ is 0.04 points: half a point is the larger.
  data.mutable_operations(0)->mutable_counts()->set_count(7'549'000);
  data.mutable_operations(1)->mutable_counts()->set_count(2'451'000);
  EXPECT_TRUE(JudgePoint(Header(), data).valid());
  data.mutable_operations(0)->mutable_counts()->set_count(7'551'000);
  data.mutable_operations(1)->mutable_counts()->set_count(2'449'000);
  EXPECT_FALSE(JudgePoint(Header(), data).valid());
}

TEST(ValidityTest, AnOperationOutsideTheMixIsOff) {
  v1::PointData data = Point(1, 100, 4);
  v1::OperationCounts* counts = data.add_operations()->mutable_counts();
  counts->set_operation(v1::OPERATION_COMMIT);
  counts->set_count(1000);
  ExpectFinding(Header(), data, "mix_off_target", v1::INVALID, "COMMIT");
}

TEST(ValidityTest, DroppedArrivals) {
  v1::PointData data = Point(1, 100, 4);
  data.set_dropped_count(1);
  ExpectFinding(Header(), data, "dropped_arrivals", v1::INVALID, "1 arrivals");
}

TEST(ValidityTest, LostAgents) {
  v1::PointData data = Point(1, 100, 4);
  data.add_agents()->set_address("b:7460");
  data.mutable_agents(1)->set_lost(true);
  ExpectFinding(Header(), data, "agent_lost", v1::INVALID, "1 of 2 agents lost: b:7460");
}

TEST(ValidityTest, ScheduleLag) {
  // Mean 1 ms: 100 µs is the larger bound. Mean 4 ms: 5 % of it, 200 µs.
  v1::PointData data = Point(1, 100, 1);
  *data.mutable_schedule_lag() = Constant(99'000, 10'000);
  EXPECT_TRUE(JudgePoint(Header(), data).valid());
  *data.mutable_schedule_lag() = Constant(150'000, 10'000);
  ExpectFinding(Header(), data, "schedule_lag", v1::INVALID, "p99 0.150 ms, allowed 0.100 ms");
  data = Point(1, 100, 4);
  *data.mutable_schedule_lag() = Constant(150'000, 10'000);
  EXPECT_TRUE(JudgePoint(Header(), data).valid());
  *data.mutable_schedule_lag() = Constant(210'000, 10'000);
  EXPECT_FALSE(JudgePoint(Header(), data).valid());
}

TEST(ValidityTest, Interrupted) {
  v1::PointData data = Point(1, 100, 4);
  data.set_stopped(true);
  ExpectFinding(Header(), data, "interrupted", v1::INVALID, "100.0 s");
}

TEST(FindingTest, ReconnectionsMarkAPointAndDoNotInvalidateIt) {
  v1::PointData data = Point(1, 100, 4);
  data.set_reconnect_count(2);
  AddErrors(5, "CONNECTION_LOST", &data);
  ExpectFinding(Header(), data, "reconnected", v1::WARNING, "2 connections made anew, 5 operations lost");
  AddErrors(500, "CONNECTION_LOST", &data);
  const v1::LoadPoint point = JudgePoint(Header(), data);
  EXPECT_FALSE(point.valid());
  EXPECT_EQ(point.findings(0).severity(), v1::INVALID);  // worst first
  EXPECT_NE(Find(point.findings(), "reconnected"), nullptr);
}

TEST(FindingTest, SaturatedStreams) {
  v1::RunHeader header = Header();
  header.set_streams(1);
  v1::PointData data = Point(1, 100, 20);  // 100/s × 10 ms of service: one stream always busy
  EXPECT_EQ(Find(JudgePoint(header, data).findings(), "streams_saturated"), nullptr);  // no bound
  header.mutable_spec()->mutable_workload()->set_outstanding(1);
  ExpectFinding(header, data, "streams_saturated", v1::WARNING, "1.0 of 1 streams");
  header.set_streams(2);
  EXPECT_EQ(Find(JudgePoint(header, data).findings(), "streams_saturated"), nullptr);
}

TEST(FindingTest, AFileSetCutByMaxBytes) {
  v1::RunHeader header = Header();
  v1::FileSetSpec* file_set = header.mutable_spec()->mutable_workload()->mutable_file_set();
  file_set->set_bytes_per_op_rate(1 << 20);
  file_set->set_max_bytes(100 << 20);
  EXPECT_EQ(Find(JudgePoint(header, Point(1, 100, 4)).findings(), "small_file_set"), nullptr);
  ExpectFinding(header, Point(1, 200, 4), "small_file_set", v1::WARNING, "100 MiB instead of 200 MiB");
}

TEST(LimitTest, MeanPercentileAndErrors) {
  v1::RunHeader header = Header();
  EXPECT_TRUE(JudgePoint(header, Point(1, 100, 20)).within_limit());
  EXPECT_FALSE(JudgePoint(header, Point(1, 100, 20.1)).within_limit());  // 20 ms is the default
  header.mutable_spec()->mutable_workload()->mutable_limit()->set_nanos(40'000'000);
  EXPECT_TRUE(JudgePoint(header, Point(1, 100, 39)).within_limit());
  header.mutable_spec()->mutable_limit()->mutable_mean()->set_nanos(10'000'000);
  EXPECT_FALSE(JudgePoint(header, Point(1, 100, 11)).within_limit());
  header.mutable_spec()->mutable_limit()->mutable_p99()->set_nanos(5'000'000);
  EXPECT_FALSE(JudgePoint(header, Point(1, 100, 6)).within_limit());
  EXPECT_TRUE(JudgePoint(header, Point(1, 100, 4)).within_limit());
  v1::PointData data = Point(1, 100, 4);
  AddErrors(50, "TIMEOUT", &data);
  EXPECT_TRUE(JudgePoint(header, data).within_limit());
  header.mutable_spec()->mutable_limit()->set_errors(0.001);
  EXPECT_FALSE(JudgePoint(header, data).within_limit());
}

// ---- the run ---------------------------------------------------------------------------------------------------

v1::RunResult JudgeAll(const std::vector<v1::PointData>& points, v1::RunStatus status = v1::COMPLETE,
                       const v1::RunHeader& header = Header()) {
  return JudgeRun(header, points, status, status == v1::COMPLETE ? "" : "SIGINT");
}

TEST(JudgeRunTest, PeakAndOrt) {
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 200, 4), Point(3, 300, 30)});
  EXPECT_EQ(result.run_id(), "20260102T030405Z-test");
  EXPECT_EQ(result.name(), "test");
  EXPECT_EQ(result.format_version(), 1u);
  EXPECT_EQ(result.streams(), 64u);
  EXPECT_EQ(result.points_size(), 3);
  const v1::Summary& summary = result.summary();
  EXPECT_DOUBLE_EQ(summary.peak_ops_per_sec(), 200);
  EXPECT_EQ(summary.peak_point(), 2u);
  EXPECT_DOUBLE_EQ(summary.overall_response_time_ms(), (100 * 1 + 100 * 3) / 200.0);
  EXPECT_EQ(summary.ort_rule(), "sfs2008");
  EXPECT_EQ(summary.limit_ms(), 20);
  EXPECT_EQ(summary.response_time(), "due");
  EXPECT_TRUE(summary.limit_reached());
  EXPECT_TRUE(summary.valid());
  EXPECT_THAT(result.findings(), IsEmpty());
}

TEST(JudgeRunTest, StepsInAnyOrderGiveTheSameOrt) {
  const v1::RunResult ordered = JudgeAll({Point(1, 100, 2), Point(2, 200, 4), Point(3, 300, 30)});
  const v1::RunResult shuffled = JudgeAll({Point(1, 300, 30), Point(2, 200, 4), Point(3, 100, 2)});
  EXPECT_EQ(shuffled.summary().overall_response_time_ms(), ordered.summary().overall_response_time_ms());
  EXPECT_EQ(shuffled.summary().peak_point(), 2u);
  EXPECT_EQ(shuffled.points(0).index(), 1u);  // in the order run
}

TEST(JudgeRunTest, RepeatedRatesAreOnePointOfTheCurve) {
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 100, 4)});
  EXPECT_DOUBLE_EQ(result.summary().overall_response_time_ms(), 1);
}

TEST(JudgeRunTest, ACurveThatTurnsBackCountsUpToThePeak) {
  v1::PointData past = Point(3, 195, 15);  // asked for 199, within 98 %, past the knee
  past.set_requested_ops_per_sec(201);
  v1::RunHeader header = Header();
  header.mutable_spec()->mutable_validity()->set_achieved(0.9);
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 200, 4), past}, v1::COMPLETE, header);
  EXPECT_TRUE(result.points(2).valid());
  EXPECT_DOUBLE_EQ(result.summary().overall_response_time_ms(), 2);
}

TEST(JudgeRunTest, InvalidPointsAreNoPeakAndAGapIsTold) {
  v1::PointData invalid = Point(1, 100, 2);
  invalid.set_dropped_count(5);
  v1::PointData highest = Point(3, 300, 5);
  highest.set_dropped_count(5);
  const v1::RunResult result = JudgeAll({invalid, Point(2, 200, 4), highest});
  EXPECT_EQ(result.summary().peak_point(), 2u);
  EXPECT_DOUBLE_EQ(result.summary().overall_response_time_ms(), 2);
  ASSERT_NE(Find(result.findings(), "invalid_points"), nullptr);
  EXPECT_THAT(Find(result.findings(), "invalid_points")->evidence(), HasSubstr("load point 1"));
}

TEST(JudgeRunTest, LimitNotReached) {
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 200, 4)});
  EXPECT_FALSE(result.summary().limit_reached());
  EXPECT_TRUE(result.summary().valid());
  const v1::Finding* finding = Find(result.findings(), "limit_not_reached");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity(), v1::WARNING);
  EXPECT_EQ(finding->evidence(), "peak 200.0 ops/s, limit 20 ms");
}

TEST(JudgeRunTest, NoValidPoint) {
  for (const std::vector<v1::PointData>& points :
       {std::vector<v1::PointData>{}, std::vector<v1::PointData>{Point(1, 100, 30)}}) {
    const v1::RunResult result = JudgeAll(points);
    EXPECT_EQ(result.summary().peak_point(), 0u);
    EXPECT_EQ(result.summary().peak_ops_per_sec(), 0);
    EXPECT_EQ(result.summary().overall_response_time_ms(), 0);
    EXPECT_FALSE(result.summary().valid());
    ASSERT_NE(Find(result.findings(), "no_valid_point"), nullptr);
    EXPECT_EQ(Find(result.findings(), "limit_not_reached"), nullptr);
  }
}

TEST(JudgeRunTest, ARunThatEndedEarlyIsNotValid) {
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 200, 30)}, v1::PARTIAL);
  EXPECT_EQ(result.status(), v1::PARTIAL);
  EXPECT_EQ(result.status_reason(), "SIGINT");
  EXPECT_DOUBLE_EQ(result.summary().peak_ops_per_sec(), 100);
  EXPECT_FALSE(result.summary().valid());
  EXPECT_THAT(Find(result.findings(), "interrupted")->evidence(),
              AllOf(HasSubstr("2 load points"), HasSubstr("SIGINT")));
}

TEST(JudgeRunTest, ScaledFileSetsAndSfsProfilesAreTold) {
  v1::RunHeader header = Header();
  v1::Workload* workload = header.mutable_spec()->mutable_workload();
  workload->set_profile("sfs2008-nfs");
  workload->mutable_file_set()->set_bytes_per_op_rate(1 << 20);
  workload->mutable_file_set()->set_profile_bytes_per_op_rate(120 << 20);
  const v1::RunResult result = JudgeAll({Point(1, 100, 2), Point(2, 200, 30)}, v1::COMPLETE, header);
  ASSERT_NE(Find(result.findings(), "small_file_set"), nullptr);
  EXPECT_THAT(Find(result.findings(), "small_file_set")->evidence(),
              HasSubstr("1 MiB for each requested op/s instead of 120 MiB"));
  ASSERT_NE(Find(result.findings(), "not_spec"), nullptr);
  EXPECT_EQ(Find(result.findings(), "not_spec")->severity(), v1::NOTE);
  EXPECT_EQ(result.findings(0).severity(), v1::WARNING);  // worst first
  EXPECT_TRUE(result.summary().valid());
  workload->mutable_file_set()->set_bytes_per_op_rate(240 << 20);
  EXPECT_EQ(Find(JudgeAll({Point(1, 100, 2)}, v1::COMPLETE, header).findings(), "small_file_set"), nullptr);
}

}  // namespace
}  // namespace crest
