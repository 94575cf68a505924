#include "prime/import/nfsstat.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/spec/spec.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Sample(const std::string& name) {
  std::ifstream file(absl::StrCat(CREST_TESTDATA, "/", name));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

Nfs3Counters Parse(const std::string& text) {
  const absl::StatusOr<Nfs3Counters> counters = ParseNfs3Counters(text);
  EXPECT_TRUE(counters.ok()) << counters.status() << "\n" << text;
  return counters.value_or(Nfs3Counters{});
}

std::string Refusal(const std::string& text) { return std::string(ParseNfs3Counters(text).status().message()); }

// The workload as a spec that holds it means it.
ParsedSpec Spec(const std::string& workload) {
  return ParseSpec(absl::StrCat("target: nfs://filer/export\nload: {peak: 100}\n", workload), "f.yaml");
}

double ShareOf(const ParsedSpec& parsed, v1::OperationKind kind) {
  for (const v1::OperationShare& entry : parsed.spec.workload().mix()) {
    if (entry.operation() == kind) return entry.share();
  }
  return 0;
}

TEST(Nfs3CountersTest, AllThreeFormsSayTheSame) {
  const Nfs3Counters expected = {21,      41226350, 5104221, 30142410, 14013318, 813007, 15318221, 9110887,
                                 1211046, 20154,    804,     0,        1191400,  15059,  88175,    61,
                                 1401331, 2302812,  811026,  56,       19,       600313};
  for (const char* const form : {"after.proc", "after.table", "after.list"}) {
    EXPECT_EQ(Parse(Sample(form)), expected) << form;
  }
}

TEST(Nfs3CountersTest, OlderAndNarrowerTablesAreRead) {
  const Nfs3Counters counters = Parse(
      "Server rpc stats:\ncalls      badcalls   badauth    badclnt    xdrcall\n123619     41         1          40     "
      "    0\n"
      "Server nfs v2:\nnull       getattr    setattr    root       lookup     readlink\n"
      "16      0% 2092   82% 7       0% 0       0% 387    15% 0       0%\n\n"
      "Server nfs v3:\nnull       getattr    setattr    lookup     access     readlink\n"
      "31      0% 101034 83% 407     0% 9537    7% 6999    5% 0       0%\nread       write\n50      0% 670     0%\n\n"
      "Client nfs v3:\nnull       getattr\n7 50% 9 50%\n");
  EXPECT_EQ(counters[1], 101034u);
  EXPECT_EQ(counters[7], 670u);
  EXPECT_EQ(counters[0], 31u);
}

TEST(Nfs3CountersTest, ALongCountRunsIntoItsHundredPercent) {
  const Nfs3Counters counters = Parse("Server nfs v3:\nnull getattr\n0         0% 123456789100% \n");
  EXPECT_EQ(counters[1], 123456789u);
}

TEST(Nfs3CountersTest, AServerWithoutNfs3CallsHasNone) {
  EXPECT_EQ(Parse("Server rpc stats:\ncalls      badcalls\n12         0\n\nServer nfs v4:\nnull             "
                  "compound\n2         "
                  "2%     90       97%\n"),
            Nfs3Counters{});
  EXPECT_EQ(Parse("rc 0 0 0\nproc4 2 1 2\n"), Nfs3Counters{});
}

TEST(Nfs3CountersTest, WhatIsNoneIsRefusedWithWhatToGive) {
  for (const std::string& text : {std::string(), std::string("hello\n"), std::string("proc2 18 0 0\n")}) {
    EXPECT_THAT(Refusal(text), AllOf(HasSubstr("no counters of an NFS server"), HasSubstr("nfsstat -s -3 -l"))) << text;
  }
  EXPECT_THAT(Refusal("Client nfs v3:\nnull getattr\n1 50% 1 50%\n"), HasSubstr("client alone"));
  EXPECT_THAT(Refusal("nfs v3 client      getattr:   12\n"), HasSubstr("client alone"));
  EXPECT_THAT(Refusal("proc3 21 1 2 3\n"), HasSubstr("22 counters"));
  EXPECT_THAT(Refusal(absl::StrReplaceAll(Sample("after.proc"), {{"41226350", "many"}})),
              AllOf(HasSubstr("'many'"), HasSubstr("getattr")));
  EXPECT_THAT(Refusal(absl::StrReplaceAll(Sample("after.proc"), {{"41226350", "-1"}})), HasSubstr("'-1'"));
  EXPECT_THAT(Refusal(Sample("after.proc") + Sample("after.proc")), HasSubstr("twice"));
  EXPECT_THAT(Refusal(Sample("after.list") + "nfs v3 server      levitate:   12\n"), HasSubstr("'levitate'"));
  EXPECT_THAT(Refusal("Server nfs v3:\nnull getattr\n1 2% 3 4% 5 6%\n"), HasSubstr("3 counts below 2 names"));
  EXPECT_THAT(Refusal("Server nfs v3:\nnull getattr\n"), HasSubstr("ends within"));
}

TEST(WorkloadFromNfsstatTest, IsAWorkloadThatASpecTakes) {
  const auto text = WorkloadFromNfs3Counters(Parse(Sample("before.table")), Parse(Sample("after.list")));
  ASSERT_TRUE(text.ok()) << text.status();
  const ParsedSpec parsed = Spec(*text);
  ASSERT_TRUE(parsed.ok()) << parsed.status() << *text;
  EXPECT_EQ(parsed.spec.workload().name(), "from-nfsstat");
  EXPECT_EQ(parsed.spec.workload().profile(), "sfs2008-nfs");
  EXPECT_EQ(parsed.spec.workload().file_set().accessed(), 0.3);
  // 100,069 calls can be in a mix, 140 cannot.
  EXPECT_NEAR(ShareOf(parsed, v1::OPERATION_GETATTR), 26005.0 / 100069, 1e-4);
  EXPECT_NEAR(ShareOf(parsed, v1::OPERATION_WRITE), 10011.0 / 100069, 1e-4);
  double sum = 0;
  for (const v1::OperationShare& entry : parsed.spec.workload().mix()) sum += entry.share();
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_THAT(*text, AllOf(HasSubstr("100209 NFSv3 calls"), HasSubstr("Left out, 0.1427 % of the calls"),
                           HasSubstr("#   RENAME 0.05489 %"), HasSubstr("#   COMMIT 0.002994 % (too rare for a share)"),
                           HasSubstr("#   MKDIR 0.03692 %")));
  EXPECT_THAT(*text, Not(HasSubstr("write_stability")));
}

TEST(WorkloadFromNfsstatTest, SharesAddUpExactlyWhateverTheCounts) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Nfs3Counters after{};
    uint64_t state = seed;
    for (uint64_t& count : after) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      count = (state >> 33) % (seed % 7 == 0 ? 3 : 100'000);
    }
    if (seed % 3 == 0) after[12] = after[8];  // REMOVE as often as CREATE
    after[1] += 1;
    const auto text = WorkloadFromNfs3Counters({}, after);
    ASSERT_TRUE(text.ok()) << text.status();
    const ParsedSpec parsed = Spec(*text);
    ASSERT_TRUE(parsed.ok()) << parsed.status() << *text;
    int64_t units = 0;
    for (const v1::OperationShare& entry : parsed.spec.workload().mix()) units += std::llround(entry.share() * 10'000);
    ASSERT_EQ(units, 10'000) << *text;
  }
}

TEST(WorkloadFromNfsstatTest, MoreRemovesThanCreatesAreLeftOut) {
  Nfs3Counters after{};
  after[6] = 700;   // READ
  after[8] = 100;   // CREATE
  after[12] = 200;  // REMOVE
  const auto text = WorkloadFromNfs3Counters({}, after);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, AllOf(HasSubstr("#   REMOVE 10 % (beyond the CREATEs"), HasSubstr("REMOVE: 11.11%"),
                           HasSubstr("CREATE: 11.11%"), HasSubstr("READ: 77.78%")));
  EXPECT_TRUE(Spec(*text).ok()) << Spec(*text).status();
}

TEST(WorkloadFromNfsstatTest, CommitsMeanUnstableWrites) {
  Nfs3Counters after{};
  after[7] = 90;   // WRITE
  after[21] = 10;  // COMMIT
  const auto text = WorkloadFromNfs3Counters({}, after);
  ASSERT_TRUE(text.ok()) << text.status();
  const ParsedSpec parsed = Spec(*text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed.spec.workload().write_stability(), v1::WRITE_STABILITY_UNSTABLE);
}

TEST(WorkloadFromNfsstatTest, CountersThatWentBackAreRefused) {
  const absl::Status status =
      WorkloadFromNfs3Counters(Parse(Sample("after.list")), Parse(Sample("before.list"))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("getattr went from 41226350 back to 41200345"), HasSubstr("restarted")));
}

TEST(WorkloadFromNfsstatTest, NoCallsAreNoMix) {
  const Nfs3Counters counters = Parse(Sample("after.list"));
  const absl::Status none = WorkloadFromNfs3Counters(counters, counters).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.message()), HasSubstr("no NFSv3 call came"));
  Nfs3Counters later = counters;
  later[14] += 5;  // RENAME
  later[12] += 5;  // REMOVE without CREATE
  EXPECT_THAT(std::string(WorkloadFromNfs3Counters(counters, later).status().message()),
              AllOf(HasSubstr("none of the 10 NFSv3 calls"), HasSubstr("RENAME 50 %")));
}

}  // namespace
}  // namespace crest
