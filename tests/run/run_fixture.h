// Whole runs of the built programs against a real server.
#ifndef CREST_TESTS_RUN_RUN_FIXTURE_H_
#define CREST_TESTS_RUN_RUN_FIXTURE_H_

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "crest/v1/result.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/run/program.h"
#include "tests/servers/ganesha_server.h"

namespace crest {

/// A folder, a server and agents of the test's own. Skips where no server can run.
class RunFixture : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(GaneshaServer::Available().ok()) << GaneshaServer::Available(); }

  void StartServer(const GaneshaServer::Options& options = {}) {
    absl::StatusOr<std::unique_ptr<GaneshaServer>> server = GaneshaServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    std::filesystem::permissions(server_->directory(), std::filesystem::perms::all);
  }

  /// Starts an agent that may use `allowed`; its address.
  std::string StartAgent(const std::vector<std::string>& allowed) {
    std::string address = absl::StrCat("127.0.0.1:", FreePort());
    std::vector<std::string> words = {AgentProgram(), "--listen", address, "--metrics", "off"};
    for (const std::string& target : allowed) words.insert(words.end(), {"--allow", target});
    agents_.push_back(std::make_unique<Program>(words));
    EXPECT_TRUE(agents_.back()->WaitForText("listening on", absl::Seconds(20))) << agents_.back()->err();
    return address;
  }

  struct SpecText {
    std::string name = "run";
    std::string target;
    std::vector<std::string> agents;  // none: the run's own
    // Small files: with the profile's own, preparing would take most of the time.
    std::string workload = "{profile: sfs2008-nfs, file_set: {bytes_per_op_rate: 64KiB, file_size: {8KiB: 100%}}}";
    std::string load = "{plan: steps, rates: [100], warmup: 1s, measure: 2s, streams: 4}";
    std::string more;
  };

  /// The spec's path.
  std::string WriteSpec(const SpecText& spec) const {
    std::string path = absl::StrCat(folder_.path(), "/", spec.name, ".yaml");
    std::ofstream(path) << "name: " << spec.name << "\ntarget: \"" << spec.target << "\"\nworkload: " << spec.workload
                        << "\n"
                        << (spec.agents.empty()
                                ? ""
                                : absl::StrCat("agents: [\"", absl::StrJoin(spec.agents, "\", \""), "\"]\n"))
                        << "load: " << spec.load << "\n"
                        << spec.more << "\n";
    return path;
  }

  std::string runs() const { return folder_.path() + "/runs"; }

  std::vector<std::string> RunWords(const std::string& spec, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {CrestProgram(), "run", spec, "--out", runs()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Ended Crest(const std::string& spec, const std::vector<std::string>& more = {}) const {
    return RunProgram(RunWords(spec, more), folder_.path());
  }

  /// The folders of the runs that were kept, in the order of their names.
  std::vector<std::string> RunFolders() const {
    std::vector<std::string> folders;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(runs(), none)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
  }

  static v1::RunResult ReadResult(const std::string& folder) {
    v1::RunResult result;
    EXPECT_TRUE(result.ParseFromString(ReadWholeFile(folder + "/result.pb"))) << folder;
    return result;
  }

  static v1::PointData ReadPoint(const std::string& folder, int index) {
    v1::PointData point;
    const std::string path = absl::StrCat(folder, "/points/", index < 10 ? "0" : "", index, ".pb");
    EXPECT_TRUE(point.ParseFromString(ReadWholeFile(path))) << path;
    return point;
  }

  /// Every path below `directory` with its type, size and time of change: what a run that must leave nothing leaves.
  static std::map<std::string, std::string> Listing(const std::string& directory) {
    std::map<std::string, std::string> listing;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      const bool file = entry.is_regular_file();
      listing[entry.path()] = absl::StrCat(static_cast<int>(entry.status().type()), " ", file ? entry.file_size() : 0,
                                           " ", entry.last_write_time().time_since_epoch().count());
    }
    return listing;
  }

  static std::vector<std::string> Codes(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
    std::vector<std::string> codes;
    for (const v1::Finding& finding : findings) codes.push_back(finding.code());
    return codes;
  }

  TemporaryDirectory folder_;
  std::unique_ptr<GaneshaServer> server_;
  std::vector<std::unique_ptr<Program>> agents_;
};

}  // namespace crest

#endif  // CREST_TESTS_RUN_RUN_FIXTURE_H_
