#include "prime/fleet/local_agent.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

// A stand-in for crest-agent: a shell script.
class LocalAgentTest : public ::testing::Test {
 protected:
  LocalAgentTest() : program_(::testing::TempDir() + "/agent-" + std::to_string(getpid()) + ".sh") {}
  ~LocalAgentTest() override { std::remove(program_.c_str()); }

  absl::StatusOr<std::unique_ptr<LocalAgent>> Start(const std::string& body,
                                                    absl::Duration timeout = absl::Seconds(30)) {
    std::ofstream(program_) << "#!/bin/sh\n" << body;
    chmod(program_.c_str(), 0700);
    return LocalAgent::Start(program_, {"null:", "nfs://h/a path"}, timeout);
  }

  const std::string program_;
};

std::string FolderOf(const LocalAgent& agent) {
  return std::filesystem::path(agent.address().substr(sizeof("unix:") - 1)).parent_path();
}

TEST_F(LocalAgentTest, ListensInAPrivateFolderThatGoesAway) {
  auto agent = Start("echo \"listening on it: $*\" >&2\nexec sleep 600\n");
  ASSERT_TRUE(agent.ok()) << agent.status();
  const std::string folder = FolderOf(**agent);
  struct stat info {};
  ASSERT_EQ(stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_THAT((*agent)->log(), HasSubstr("--listen " + (*agent)->address() +
                                         " --metrics off --exit-with-parent --allow null: --allow nfs://h/a path"));
  agent->reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(LocalAgentTest, WhatAFailedAgentSaidIsPassedOn) {
  const auto agent = Start("echo 'no such flag: --listen' >&2\nexit 2\n");
  EXPECT_THAT(std::string(agent.status().message()), HasSubstr("no such flag: --listen"));
}

TEST_F(LocalAgentTest, AgentThatNeverListensIsEnded) {
  const auto agent = Start("echo starting >&2\nexec sleep 600\n", absl::Milliseconds(200));
  EXPECT_EQ(agent.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(LocalAgentTest, KillDoesNotWait) {
  auto agent = Start("trap '' TERM\necho listening on >&2\nwhile :; do sleep 600; done\n");
  ASSERT_TRUE(agent.ok()) << agent.status();
  const std::string folder = FolderOf(**agent);
  (*agent)->Kill();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(LocalAgentTest, ProgramThatDoesNotExistIsNamed) {
  const auto agent = LocalAgent::Start("/nonexistent/crest-agent", {});
  EXPECT_THAT(std::string(agent.status().message()), HasSubstr("/nonexistent/crest-agent"));
}

}  // namespace
}  // namespace crest
