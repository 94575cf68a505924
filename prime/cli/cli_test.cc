// crest as a program: what it prints where, and its exit codes.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "prime/cli/command.h"
#include "prime/spec/spec.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Output {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class Cli : public ::testing::Test {
 protected:
  Cli() {
    std::string pattern = absl::StrCat(::testing::TempDir(), "/crest-cli-XXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~Cli() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  // Runs crest in the test's folder, its standard output in a file of its own or in `standard_output`.
  Output Crest(const std::vector<std::string>& arguments, const std::string& standard_output = "") const {
    const std::string out_path = standard_output.empty() ? folder_ + "/.out" : standard_output;
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> words = {CREST_PROGRAM};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::vector<char*> argv;
      argv.reserve(words.size() + 1);
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      const int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int err = open((folder_ + "/.err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(folder_.c_str()) != 0) _exit(126);
      execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Output output;
    output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (standard_output.empty()) output.out = ReadFile(out_path);
    output.err = ReadFile(folder_ + "/.err");
    return output;
  }

  google::protobuf::Struct Json(const std::string& text) const {
    google::protobuf::Struct parsed;
    const auto status = google::protobuf::util::JsonStringToMessage(text, &parsed);
    EXPECT_TRUE(status.ok()) << status << "\n" << text;
    return parsed;
  }

  std::string folder_;
};

TEST_F(Cli, HelpListsCommandsAndExitCodes) {
  const Output help = Crest({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.err, IsEmpty());
  for (const char* part :
       {"run", "check", "agents", "workloads", "report", "ort", "0  done and valid", "1  done, not valid",
        "2  the spec or the call is wrong", "3  an agent or the target", "4  interrupted"}) {
    EXPECT_THAT(help.out, HasSubstr(part));
  }
  EXPECT_THAT(Crest({"--version"}).out, StartsWith("crest "));
}

TEST_F(Cli, WrongCallsExitWith2AndSayNothingOnStandardOutput) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"rnu"},
                                             {"run"},
                                             {"check"},
                                             {"check", "--nonsense", "x"},
                                             {"run", "x", "--format", "pdf"},
                                             {"ort"},
                                             {"check", "missing.yaml"},
                                             {"workloads", "show", "sfs"},
                                             {"ort", "missing.csv"},
                                             {"report", "missing"},
                                             {"ort", "missing.csv", "--rule", "2014"}}) {
    const Output output = Crest(arguments);
    EXPECT_EQ(output.exit_code, 2) << ::testing::PrintToString(arguments) << output.err;
    EXPECT_THAT(output.out, IsEmpty()) << ::testing::PrintToString(arguments);
    EXPECT_THAT(output.err, Not(IsEmpty())) << ::testing::PrintToString(arguments);
  }
}

TEST_F(Cli, AFullDiskIsTold) {
  const Output output = Crest({"workloads"}, "/dev/full");
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_THAT(output.err, HasSubstr("standard output: "));
}

// ---- ort -------------------------------------------------------------------------------------------------------

std::vector<std::string> Lines(const std::string& text) { return absl::StrSplit(text, '\n', absl::SkipEmpty()); }

std::string Id(const std::string& line) { return line.substr(0, line.find(',')); }

TEST_F(Cli, OrtOfEveryPublishedResultIsThePublishedOne) {
  const std::vector<std::string> points = Lines(ReadFile(CREST_TESTDATA "/published_results.csv"));
  std::map<std::string, std::string> curves;
  for (size_t i = 1; i < points.size(); ++i) {
    std::string& curve = curves.try_emplace(Id(points[i]), points[0] + "\n").first->second;
    absl::StrAppend(&curve, points[i], "\n");
  }
  const std::vector<std::string> results = Lines(ReadFile(CREST_TESTDATA "/published_results_summary.csv"));
  size_t compared = 0;
  for (size_t i = 1; i < results.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(results[i], ',');
    const std::string& peak = fields[fields.size() - 2];
    const double published = std::stod(fields.back());
    // Of one result only the summary is readable.
    if (curves.count(Id(results[i])) == 0) continue;
    ++compared;
    const std::string curve = Write("curve.csv", curves[Id(results[i])]);
    const bool is_2020 = absl::StrContains(results[i], "2020") && !absl::StartsWith(results[i], "sfs");
    const Output output = Crest({"ort", curve, "--rule", is_2020 ? "storage2020" : "sfs2008"});
    ASSERT_EQ(output.exit_code, 0) << results[i] << output.err;
    const std::vector<std::string> lines = Lines(output.out);
    ASSERT_EQ(lines.size(), 2u) << output.out;
    EXPECT_EQ(lines[0], absl::StrCat("peak_ops_per_sec: ", peak)) << results[i];
    ASSERT_THAT(lines[1], StartsWith("overall_response_time_ms: "));
    EXPECT_NEAR(std::stod(lines[1].substr(lines[1].find(' '))), published, 0.0101) << results[i];
  }
  EXPECT_EQ(compared, curves.size());
  EXPECT_GE(compared, 17u);
}

TEST_F(Cli, OrtPrintsExactlyTwoLinesAndItsDoubtsElsewhere) {
  const std::string curve = Write("c.csv", "ops_per_sec,response_ms\n1000,1.0\n2000,2.0\n1900,9.0\n");
  const Output sfs = Crest({"ort", curve});
  EXPECT_EQ(sfs.out, "peak_ops_per_sec: 2000\noverall_response_time_ms: 1.00\n");
  EXPECT_THAT(sfs.err, HasSubstr("uncertain by up to 0.5 ms"));
  const Output storage = Crest({"ort", curve, "--rule", "storage2020"});
  EXPECT_EQ(storage.out, "peak_ops_per_sec: 2000\noverall_response_time_ms: 1.50\n");
  EXPECT_THAT(storage.err, HasSubstr("few published results"));
  EXPECT_THAT(Crest({"ort", Write("d.csv", "ops_per_sec,response_ms\n10,1.2345\n20,2.3456\n")}).err, IsEmpty());
}

// ---- workloads -------------------------------------------------------------------------------------------------

TEST_F(Cli, WorkloadsAreListedAndShownAsTheyShip) {
  const Output list = Crest({"workloads"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("sfs2008-nfs "), HasSubstr("sfs97r1-nfs ")));
  const Output show = Crest({"workloads", "show", "sfs2008-nfs"});
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_THAT(show.out, AllOf(HasSubstr("name: sfs2008-nfs"), HasSubstr("GETATTR: 26%")));
  EXPECT_THAT(Crest({"workloads", "show", "sfs208-nfs"}).err, HasSubstr("did you mean 'sfs2008-nfs'?"));
}

TEST_F(Cli, WorkloadFromNfsstatIsPartOfASpec) {
  const std::string samples = CREST_NFSSTAT;
  const Output made = Crest({"workloads", "from-nfsstat", samples + "/before.list", samples + "/after.proc"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, IsEmpty());
  EXPECT_THAT(made.out, HasSubstr("    GETATTR: 25.99%\n"));
  const std::string spec =
      Write("own.yaml", "target: nfs://filer/export\nagents: [\"127.0.0.1:1\"]\nload: {peak: 1000}\n" + made.out);
  const Output check = Crest({"check", spec});
  EXPECT_EQ(check.exit_code, 3) << check.err;  // but for the agent that is not there it holds
  EXPECT_THAT(check.out, HasSubstr("from-nfsstat"));
}

TEST_F(Cli, CountersThatMakeNoWorkloadExitWith2) {
  const std::string samples = CREST_NFSSTAT;
  const auto error = [&](const std::string& before, const std::string& after) {
    const Output made = Crest({"workloads", "from-nfsstat", before, after});
    EXPECT_EQ(made.exit_code, 2);
    EXPECT_THAT(made.out, IsEmpty());
    return made.err;
  };
  EXPECT_THAT(error(samples + "/after.list", samples + "/before.list"), HasSubstr("restarted"));
  EXPECT_THAT(error(samples + "/after.list", samples + "/after.table"), HasSubstr("no NFSv3 call came"));
  EXPECT_THAT(error(samples + "/README.md", samples + "/after.list"), HasSubstr("README.md: has no counters"));
  EXPECT_THAT(error("/nowhere", samples + "/after.list"), HasSubstr("/nowhere: cannot be read"));
  EXPECT_THAT(error(folder_, samples + "/after.list"), HasSubstr("cannot be read"));
  EXPECT_EQ(Crest({"workloads", "from-nfsstat", samples + "/after.list"}).exit_code, 2);
}

// ---- check -----------------------------------------------------------------------------------------------------

TEST_F(Cli, CheckTellsEveryErrorOfASpec) {
  const std::string spec =
      Write("bad.yaml", "target: nfs://filer/export\nworkload: sfs2008-nfs\nload: {paek: 1}\nlimt: 1\n");
  const Output text = Crest({"check", spec});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.out, IsEmpty());
  EXPECT_THAT(text.err, AllOf(StartsWith(spec + ":3:8: "), HasSubstr("\n" + spec + ":4:1: ")));
  const Output json = Crest({"check", spec, "--format", "json", "--set", "seed=0"});
  EXPECT_EQ(json.exit_code, 2);
  const google::protobuf::Struct report = Json(json.out);
  const auto& errors = report.fields().at("errors").list_value();
  ASSERT_EQ(errors.values_size(), 3) << json.out;
  const auto& first = errors.values(0).struct_value().fields();
  EXPECT_EQ(first.at("line").number_value(), 3);
  EXPECT_EQ(first.at("column").number_value(), 8);
  EXPECT_THAT(first.at("source").string_value(), HasSubstr("bad.yaml"));
  EXPECT_EQ(errors.values(2).struct_value().fields().at("source").string_value(), "--set seed");
}

TEST_F(Cli, CheckPrintsThePlanAndExitsWith3WhereAnAgentIsNotThere) {
  // Port 1 of this host: nobody listens there.
  const std::string spec = Write("good.yaml",
                                 "target: nfs://filer/export\nworkload: sfs2008-nfs\nagents: [\"127.0.0.1:1\"]\n"
                                 "load: {peak: 1000, warmup: 30s, measure: 1m}\n");
  const Output text = Crest({"check", spec});
  EXPECT_EQ(text.exit_code, 3) << text.err;
  EXPECT_THAT(text.err, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("10 (curve): 100.0  200.0"), HasSubstr("1,000 ops/s"), HasSubstr("streams       64"),
                    HasSubstr("GiB created"), HasSubstr("15m"), HasSubstr("not reached")));
  const Output json = Crest({"check", spec, "--format", "json"});
  EXPECT_EQ(json.exit_code, 3);
  const google::protobuf::Struct parsed = Json(json.out);
  const auto& report = parsed.fields();
  EXPECT_EQ(report.at("planned_ops_per_sec").list_value().values_size(), 10);
  EXPECT_EQ(report.at("streams").number_value(), 64);
  EXPECT_NEAR(report.at("created_bytes").number_value(), 1000 * 120.0 * (1 << 20), 0.02 * 1000 * 120.0 * (1 << 20));
  EXPECT_EQ(report.at("load_seconds").number_value(), 900);
  EXPECT_THAT(report.at("agents").list_value().values(0).struct_value().fields().at("error").string_value(),
              Not(IsEmpty()));
}

TEST_F(Cli, AgentsThatAreNotThereExitWith3) {
  const Output output = Crest({"agents", "--agents", "127.0.0.1:1,127.0.0.1:2"});
  EXPECT_EQ(output.exit_code, 3) << output.err;
  EXPECT_THAT(output.err, AllOf(HasSubstr("127.0.0.1:1"), HasSubstr("127.0.0.1:2")));
  EXPECT_EQ(Crest({"agents", "--agents", "a,a"}).exit_code, 2);
}

// ---- the rest --------------------------------------------------------------------------------------------------

TEST(Examples, AreSpecsThatHold) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CREST_EXAMPLES)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const ParsedSpec parsed = ReadSpecFile(entry.path());
    EXPECT_TRUE(parsed.ok()) << parsed.status();
  }
  EXPECT_GE(count, 1);
}

TEST(SplitAgents, KeepsRangesWhole) {
  EXPECT_THAT(SplitAgents("a, b[1,3-5]:7460,[::1]:7460"), ElementsAre("a", "b[1,3-5]:7460", "[::1]:7460"));
}

TEST(QuoteWord, GivesBackWhatAShellWouldRead) {
  EXPECT_EQ(QuoteWord("load.peak=5000"), "load.peak=5000");
  EXPECT_EQ(QuoteWord(""), "''");
  EXPECT_EQ(QuoteWord("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(QuoteWord("client[1-2]"), "'client[1-2]'");
}

}  // namespace
}  // namespace crest
