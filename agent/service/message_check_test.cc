#include "agent/service/message_check.h"

#include <cmath>
#include <limits>

#include "base/version.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

constexpr MonoTime kNow{5'000'000'000};

v1::OpenSession GoodOpen() {
  v1::OpenSession open;
  open.set_protocol_version(kProtocolVersion);
  open.set_agent_count(2);
  open.set_agent_index(1);
  open.set_stream_count(64);
  open.add_target("null:");
  open.mutable_workload()->set_name("w");
  return open;
}

v1::StartPoint GoodStart() {
  v1::StartPoint start;
  start.set_point(1);
  start.set_requested_ops_per_sec(1000);
  start.set_start_ns(kNow.ns + 1);
  start.mutable_measure()->set_seconds(10);
  return start;
}

template <typename Change>
absl::StatusCode CodeOfOpen(Change change) {
  v1::OpenSession open = GoodOpen();
  change(open);
  return CheckOpen(open).code();
}

template <typename Change>
absl::StatusCode CodeOfStart(Change change) {
  v1::StartPoint start = GoodStart();
  change(start);
  return CheckStartPoint(start, 0, kNow).code();
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(MessageCheckTest, GoodMessages) {
  EXPECT_TRUE(CheckOpen(GoodOpen()).ok()) << CheckOpen(GoodOpen());
  EXPECT_EQ(LeaseOf(GoodOpen()), kDefaultLease);
  EXPECT_TRUE(CheckStartPoint(GoodStart(), 0, kNow).ok());
}

TEST(MessageCheckTest, AnotherVersionIsToldBoth) {
  v1::OpenSession open = GoodOpen();
  open.set_protocol_version(7);
  open.set_crest_version("9.9");
  const absl::Status status = CheckOpen(open);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            absl::StrCat("this agent speaks protocol 1 (crest ", kVersion,
                         "), the prime protocol 7 (crest 9.9); install the same version of crest on all "
                         "hosts"));
}

TEST(MessageCheckTest, OpenOutOfBounds) {
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_agent_index(2); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_agent_count(0); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_agent_count(kMaxAgents + 1); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_stream_count(0); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_stream_count(kMaxStreams + 1); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.clear_target(); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.add_target(""); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.add_target(std::string(kMaxTargetLength + 1, 'x')); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.clear_workload(); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_prime("a\nb"); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.set_run_id(std::string(257, 'x')); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.mutable_lease()->set_seconds(0); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.mutable_lease()->set_seconds(61); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) {
              open.mutable_lease()->set_seconds(5);
              open.mutable_lease()->set_nanos(-1);
            }),
            kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.mutable_workload()->add_mix()->set_share(kNan); }), kInvalid);
  EXPECT_EQ(CodeOfOpen([](auto& open) { open.mutable_workload()->mutable_file_set()->set_accessed(kInfinity); }),
            kInvalid);
}

TEST(MessageCheckTest, RatesAreFiniteAndPositive) {
  for (const double rate : {0.0, -1.0, kNan, kInfinity, -kInfinity, kMaxOpsPerSec * 2}) {
    v1::Prepare prepare;
    prepare.set_requested_ops_per_sec(rate);
    EXPECT_EQ(CheckPrepare(prepare).code(), kInvalid) << rate;
    EXPECT_EQ(CodeOfStart([&](auto& start) { start.set_requested_ops_per_sec(rate); }), kInvalid) << rate;
  }
}

TEST(MessageCheckTest, StartOutOfBounds) {
  EXPECT_EQ(CodeOfStart([](auto& start) { start.set_point(0); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.clear_measure(); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.mutable_measure()->set_seconds(INT64_MAX); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.mutable_warmup()->set_seconds(INT64_MIN); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.mutable_warmup()->set_nanos(1'000'000'000); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.mutable_max_backlog()->set_seconds(-1); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.set_start_ns(INT64_MAX); }), kInvalid);
  EXPECT_EQ(CodeOfStart([](auto& start) { start.set_start_ns(INT64_MIN); }), kInvalid);
}

TEST(MessageCheckTest, PointsAscend) {
  EXPECT_TRUE(CheckStartPoint(GoodStart(), 0, kNow).ok());
  EXPECT_EQ(CheckStartPoint(GoodStart(), 1, kNow).code(), kInvalid);
}

}  // namespace
}  // namespace crest
