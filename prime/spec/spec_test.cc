#include "prime/spec/spec.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workloads/profiles.h"
#include "workloads/validate.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kLeast[] = "target: nfs://filer/export\nworkload: sfs2008-nfs\nload: {peak: 5000}\n";

ParsedSpec Parse(absl::string_view text, const std::vector<std::string>& overrides = {}) {
  ParsedSpec parsed = ParseSpec(text, "dir/first.yaml", overrides);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed;
}

std::vector<std::string> Codes(const ParsedSpec& parsed) {
  std::vector<std::string> codes;
  for (const v1::Finding& finding : parsed.findings) codes.push_back(finding.code());
  return codes;
}

TEST(ParseSpec, FillsInDefaults) {
  const ParsedSpec parsed = Parse(kLeast);
  const v1::RunSpec& spec = parsed.spec;
  EXPECT_EQ(spec.name(), "first");
  EXPECT_EQ(spec.format_version(), 1u);
  EXPECT_EQ(spec.seed(), 1u);
  EXPECT_THAT(spec.target(), ElementsAre("nfs://filer/export"));
  EXPECT_THAT(spec.agents(), IsEmpty());
  EXPECT_EQ(spec.load().plan(), v1::LOAD_PLAN_CURVE);
  EXPECT_EQ(spec.load().points(), 10u);
  EXPECT_EQ(spec.load().warmup().seconds(), 300);
  EXPECT_EQ(spec.load().measure().seconds(), 300);
  EXPECT_EQ(spec.load().max_backlog().seconds(), 30);
  EXPECT_EQ(spec.limit().mean().nanos(), 20'000'000);
  EXPECT_EQ(spec.workload().name(), "sfs2008-nfs");
  EXPECT_EQ(spec.workload().mix_size(), 12);
  EXPECT_EQ(spec.workload().file_set().bytes_per_op_rate(), 120.0 * (1 << 20));
  EXPECT_FALSE(spec.workload().file_set().has_profile_bytes_per_op_rate());
  EXPECT_EQ(parsed.streams, AutoStreams(5000, 0.020));
  EXPECT_THAT(parsed.rates, ElementsAre(500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000));
  EXPECT_THAT(parsed.findings, IsEmpty());
}

TEST(ParseSpec, ReadsEveryKindOfValue) {
  const ParsedSpec parsed = Parse(R"(
name: "filer\ta/../ünï"
target: [nfs://a/x, nfs://b/x]
workload: sfs2008-nfs
agents: ["client[08-10]:7460", {address: "[::1]"}, unix:/run/crest.sock]
load: {plan: Steps, rates: [1k, 2.5k], warmup: 1m30s, measure: 500ms, streams: 64, max_backlog: 10}
limit: {mean: 15ms, p99: 50ms, errors: 0.5%}
validity: {achieved: 95%}
system: {model: 007, version: 1.10, ram_gib: 64, flash: true, none: ~, notes: [a, {b: "1"}]}
seed: 7
)");
  const v1::RunSpec& spec = parsed.spec;
  EXPECT_EQ(spec.name(), "filer\ta/../ünï");
  EXPECT_EQ(spec.target_size(), 2);
  ASSERT_THAT(spec.agents(), SizeIs(5));
  EXPECT_EQ(spec.agents(0).address(), "client08:7460");
  EXPECT_EQ(spec.agents(2).address(), "client10:7460");
  EXPECT_EQ(spec.agents(3).address(), "[::1]:7460");
  EXPECT_EQ(spec.agents(4).address(), "unix:/run/crest.sock");
  EXPECT_EQ(spec.load().plan(), v1::LOAD_PLAN_STEPS);
  EXPECT_EQ(spec.load().points(), 0u);
  EXPECT_THAT(spec.load().rates(), ElementsAre(1000, 2500));
  EXPECT_EQ(spec.load().warmup().seconds(), 90);
  EXPECT_EQ(spec.load().measure().nanos(), 500'000'000);
  EXPECT_EQ(parsed.streams, 64u);
  EXPECT_EQ(spec.limit().p99().nanos(), 50'000'000);
  EXPECT_DOUBLE_EQ(spec.limit().errors(), 0.005);
  EXPECT_DOUBLE_EQ(spec.validity().achieved(), 0.95);
  const auto& system = spec.system().fields();
  EXPECT_EQ(system.at("model").string_value(), "007");
  EXPECT_EQ(system.at("version").string_value(), "1.10");
  EXPECT_EQ(system.at("ram_gib").number_value(), 64);
  EXPECT_TRUE(system.at("flash").bool_value());
  EXPECT_EQ(system.at("notes").list_value().values(1).struct_value().fields().at("b").string_value(), "1");
}

TEST(ParseSpec, ReplacesJustTheNestedKeysOfAProfile) {
  const ParsedSpec parsed = Parse(R"(
target: nfs://filer/export
workload:
  profile: sfs2008-nfs
  append: 50%
  outstanding: auto
  file_set: {bytes_per_op_rate: 4MiB}
load: {peak: 5000, streams: 64}
)");
  const v1::Workload profile = *ProfileWorkload("sfs2008-nfs");
  const v1::Workload& workload = parsed.spec.workload();
  EXPECT_DOUBLE_EQ(workload.append(), 0.5);
  EXPECT_TRUE(profile.has_outstanding());
  EXPECT_FALSE(workload.has_outstanding());
  EXPECT_EQ(workload.file_set().bytes_per_op_rate(), 4.0 * (1 << 20));
  EXPECT_EQ(workload.file_set().profile_bytes_per_op_rate(), 120.0 * (1 << 20));
  EXPECT_EQ(workload.file_set().accessed(), profile.file_set().accessed());
  EXPECT_EQ(workload.file_set().file_size_size(), profile.file_set().file_size_size());
  EXPECT_EQ(workload.mix_size(), profile.mix_size());
  EXPECT_THAT(Codes(parsed), ElementsAre("small_file_set"));
}

TEST(ParseSpec, ReplacesKeyedMapsWhole) {
  const ParsedSpec parsed = Parse(R"(
target: nfs://filer/export
workload: {profile: sfs2008-nfs, mix: {read: 60%, WRITE: 40%}}
load: {peak: 5000}
)");
  ASSERT_EQ(parsed.spec.workload().mix_size(), 2);
  EXPECT_EQ(parsed.spec.workload().mix(0).operation(), v1::OPERATION_READ);
  EXPECT_DOUBLE_EQ(parsed.spec.workload().mix(1).share(), 0.4);
}

TEST(ParseSpec, TakesAWholeWorkload) {
  const ParsedSpec parsed = Parse(R"(
target: nfs://filer/export
workload:
  mix: {READ: 100%}
  read_size: {4k: 50%, 8k: 50%}
  file_set: {bytes_per_op_rate: 10MiB, file_size: {64k: 100%}}
load: {peak: 5000}
)");
  const v1::Workload& workload = parsed.spec.workload();
  EXPECT_EQ(workload.name(), "custom");
  EXPECT_EQ(workload.response_time(), v1::RESPONSE_TIME_DUE);
  EXPECT_EQ(workload.transfer_size(), 32768);
  EXPECT_EQ(workload.file_set().files_per_directory(), 30u);
  EXPECT_EQ(workload.file_set().accessed(), 1);
  EXPECT_EQ(parsed.spec.limit().mean().nanos(), 20'000'000);
}

TEST(ParseSpec, PutsOverridesInPlaceOfTheFilesValues) {
  const ParsedSpec parsed =
      Parse(kLeast, {"load.peak=1k", "load.points=4", "limit.mean=5ms", "workload.file_set.bytes_per_op_rate=5MiB",
                     "agents=[a, b]", "system.rack.row=3", "name=a=b", "load.points=5"});
  EXPECT_EQ(parsed.spec.load().peak(), 1000);
  EXPECT_EQ(parsed.spec.load().points(), 5u);
  EXPECT_EQ(parsed.spec.limit().mean().nanos(), 5'000'000);
  EXPECT_EQ(parsed.spec.workload().profile(), "sfs2008-nfs");
  EXPECT_EQ(parsed.spec.workload().file_set().bytes_per_op_rate(), 5.0 * (1 << 20));
  EXPECT_THAT(parsed.spec.agents(), SizeIs(2));
  EXPECT_EQ(parsed.spec.system().fields().at("rack").struct_value().fields().at("row").number_value(), 3);
  EXPECT_EQ(parsed.spec.name(), "a=b");
  EXPECT_THAT(Codes(parsed), ElementsAre("few_load_points", "small_file_set"));
}

TEST(ParseSpec, SaysWhereAnOverrideIsWrong) {
  const ParsedSpec parsed = ParseSpec(kLeast, "f.yaml", {"load.peak=-3", "nonsense", "load.paek=3", "target.x=1"});
  ASSERT_THAT(parsed.errors, SizeIs(4));
  EXPECT_THAT(parsed.errors[0].ToString(), HasSubstr("--set load.paek:1:1: unknown key 'paek'"));
  EXPECT_THAT(parsed.errors[1].ToString(), HasSubstr("--set load.peak:1:11: "));
  EXPECT_THAT(parsed.errors[2].ToString(), HasSubstr("--set nonsense:1:1: 'nonsense' is not KEY=VALUE"));
  EXPECT_THAT(parsed.errors[3].ToString(), HasSubstr("--set target.x:1:1: 'x' cannot be set within a single value"));
}

TEST(ParseSpec, CanBeGivenByOverridesAlone) {
  EXPECT_TRUE(ParseSpec("", "-", {"target=null:", "workload=sfs2008-nfs", "load.peak=5000"}).ok());
}

TEST(ParseSpec, ToleratesAWholeSpecAsJson) {
  EXPECT_TRUE(
      ParseSpec(R"({"target": ["nfs://f/e"], "workload": "sfs2008-nfs", "load": {"peak": 5000}})", "f.json").ok());
}

TEST(ReadSpecFile, ReadsFilesAndNamesThoseItCannot) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/read_spec_", getpid(), ".yaml");
  std::ofstream(path) << kLeast;
  EXPECT_TRUE(ReadSpecFile(path).ok());
  unlink(path.c_str());
  EXPECT_THAT(std::string(ReadSpecFile(path).status().message()),
              AllOf(HasSubstr(path + ":1:1: "), HasSubstr("No such file")));
  EXPECT_THAT(std::string(ReadSpecFile("/tmp").status().message()), HasSubstr("Is a directory"));
}

TEST(ProfileWorkload, KnowsEveryShippedProfileWhole) {
  ASSERT_GE(Profiles().size(), 2u);
  for (const Profile& profile : Profiles()) {
    const absl::StatusOr<v1::Workload> workload = ProfileWorkload(profile.name);
    ASSERT_TRUE(workload.ok()) << workload.status();
    EXPECT_EQ(workload->name(), std::string(profile.name));
    EXPECT_FALSE(workload->description().empty());
    for (const FieldError& error : ValidateWorkload(*workload)) ADD_FAILURE() << error.path << ": " << error.message;
  }
}

TEST(ProfileWorkload, SuggestsTheNameMeant) {
  const absl::Status status = ProfileWorkload("sfs208-nfs").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean 'sfs2008-nfs'?"));
}

}  // namespace
}  // namespace crest
