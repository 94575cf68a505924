// Engine `nfs` against a real server: what conforms, what goes wrong, what a capture would count.
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/engine/conformance.h"
#include "tests/servers/ganesha_server.h"
#include "tests/servers/nfs_fixture.h"
#include "workloads/content.h"

namespace crest {
namespace {

using testing::HasSubstr;

// As a URL must write what the server's directory may be called.
std::string Escaped(const std::string& url) { return absl::StrReplaceAll(url, {{" ", "%20"}, {"ö", "%C3%B6"}}); }

// Servers of its own for every test, a target each.
EngineCase Case(const std::string& name, const std::string& parameters, int targets) {
  auto servers = std::make_shared<std::vector<std::unique_ptr<GaneshaServer>>>();
  EngineCase engine_case;
  engine_case.name = name;
  engine_case.scheme = "nfs";
  engine_case.targets = [=](std::string& why_not) {
    std::vector<std::string> urls;
    if (const absl::Status available = GaneshaServer::Available(); !available.ok()) {
      why_not = std::string(available.message());
      return urls;
    }
    for (int i = 0; i < targets; ++i) {
      absl::StatusOr<std::unique_ptr<GaneshaServer>> server = GaneshaServer::Start({.export_name = "ex port:größe"});
      EXPECT_TRUE(server.ok()) << server.status();
      if (!server.ok()) return std::vector<std::string>();
      urls.push_back(Escaped((*server)->Url(parameters)));
      servers->push_back(*std::move(server));
    }
    return urls;
  };
  engine_case.clean_up = [=] { servers->clear(); };
  return engine_case;
}

INSTANTIATE_TEST_SUITE_P(Nfs, EngineConformance,
                         testing::Values(Case("OneConnection", "", 1), Case("ManyConnections", "&connections=3", 1),
                                         Case("TwoTargets", "", 2)),
                         EngineCaseName);

using NfsEngineTest = NfsFixture;

TEST_F(NfsEngineTest, LongOperationsAreCutIntoCalls) {
  StartServer();
  OpenEngine();
  Build(0);
  const Completion write = Run(Make(v1::OPERATION_WRITE, kFile, 100'000));
  EXPECT_EQ(write.outcome, kOk);
  EXPECT_EQ(write.calls, 4u);
  EXPECT_EQ(write.extra_calls, 0u);
  EXPECT_EQ(write.bytes, 100'000u);
  EXPECT_EQ(std::filesystem::file_size(LocalPath(kFile)), 100'000u);
  const Completion read = Run(Make(v1::OPERATION_READ, kFile, 65'536, 1));
  EXPECT_EQ(read.calls, 2u);
  EXPECT_EQ(read.bytes, 65'536u);
  EXPECT_EQ(Procedures()["WRITE"], (std::pair<int64_t, int64_t>(4, 0)));
  EXPECT_EQ(Procedures()["READ"], (std::pair<int64_t, int64_t>(2, 0)));
}

TEST_F(NfsEngineTest, WritesTheWorkloadsContentHoweverManyAreInFlight) {
  StartServer();
  OpenEngine();
  Build(0);
  constexpr uint32_t kPart = 100'000;
  TokenSink sink;
  for (uint64_t token = 0; token < 8; ++token) {
    Operation write = Make(v1::OPERATION_WRITE, kFile, kPart, token * kPart);
    write.generation = token + 1;
    Completion completion;
    SubmitResult result = engine_->Submit(write, token, completion);
    while (result == SubmitResult::kBusy) {
      engine_->Reap(clock_.Now() + kSecondNs / 100, sink);
      result = engine_->Submit(write, token, completion);
    }
    ASSERT_EQ(result, SubmitResult::kAccepted);
    sink.Expect(token);
  }
  const MonoTime deadline = clock_.Now() + 10 * kSecondNs;
  while (sink.out() > 0 && clock_.Now() < deadline) engine_->Reap(deadline, sink);
  ASSERT_EQ(sink.completions.size(), 8u);

  std::ifstream file(LocalPath(kFile), std::ios::binary);
  const std::string found((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Content content(1);
  std::string expected(8 * kPart, '\0');
  for (uint64_t part = 0; part < 8; ++part) {
    content.Fill(kFile, part * kPart, part + 1, absl::MakeSpan(&expected[part * kPart], kPart));
  }
  EXPECT_TRUE(found == expected) << "the file does not hold what was to be written";
}

TEST_F(NfsEngineTest, AnUnknownPathIsWalkedOnce) {
  StartServer();
  OpenEngine();
  Build(4096);
  OpenEngine();  // without handles
  const Completion first = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(first.outcome, kOk);
  EXPECT_EQ(first.calls, 1u);
  EXPECT_EQ(first.extra_calls, 4u);  // root, group, directory, file
  const Completion second = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(second.extra_calls, 0u);
  EXPECT_EQ(Procedures()["LOOKUP"], (std::pair<int64_t, int64_t>(0, 4)));
  EXPECT_EQ(Procedures()["GETATTR"], (std::pair<int64_t, int64_t>(2, 0)));
}

TEST_F(NfsEngineTest, AStaleHandleIsLookedUpAgain) {
  StartServer();
  OpenEngine();
  Build(4096);
  // Another client replaces the file.
  std::unique_ptr<Engine> first = std::move(engine_);
  OpenEngine();
  ASSERT_EQ(Run(Make(v1::OPERATION_REMOVE, kFile)).outcome, kOk);
  ASSERT_EQ(Run(Make(v1::OPERATION_CREATE, kFile)).outcome, kOk);
  ASSERT_EQ(Run(Make(v1::OPERATION_WRITE, kFile, 5000)).outcome, kOk);
  engine_ = std::move(first);
  const Completion completion = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(completion.outcome, kOk) << engine_->Explain(completion.outcome);
  EXPECT_EQ(completion.object_size, 5000);
  EXPECT_EQ(completion.calls, 1u);
  EXPECT_EQ(completion.extra_calls, 2u);  // LOOKUP, and the call once more
}

TEST_F(NfsEngineTest, AWholeStaleTreeIsWalkedAgain) {
  StartServer();
  OpenEngine();
  Build(4096);
  std::unique_ptr<Engine> first = std::move(engine_);
  OpenEngine();
  ASSERT_EQ(Run(Make(v1::OPERATION_REMOVE, kFile)).outcome, kOk);
  for (const ObjectId directory : {kDirectory, kGroup, kRoot}) {
    ASSERT_EQ(Run(Make(v1::OPERATION_RMDIR, directory)).outcome, kOk);
  }
  Build(3);
  engine_ = std::move(first);
  const Completion completion = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(completion.outcome, kOk) << engine_->Explain(completion.outcome);
  EXPECT_EQ(completion.object_size, 3);
  EXPECT_EQ(completion.calls, 1u);
}

TEST_F(NfsEngineTest, TellsWhichExportsThereAre) {
  StartServer();
  const std::string url = absl::StrReplaceAll(server_->Url(), {{"/export?", "/nonsense?"}});
  const absl::Status status = Open(url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonsense\" does not exist"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(server_->directory()));
}

TEST_F(NfsEngineTest, TellsThatAnExportIsReadOnly) {
  StartServer({.read_only = true});
  OpenEngine();
  const absl::Status status = engine_->CheckSpace().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("read-only"));
  const Completion completion = Run(Make(v1::OPERATION_MKDIR, kRoot));
  EXPECT_EQ(completion.outcome, kReadOnly);
  EXPECT_EQ(engine_->ErrorName(completion.outcome), "NFS3ERR_ROFS");
  EXPECT_THAT(engine_->Explain(kReadOnly), HasSubstr(files_->root_name()));
  EXPECT_TRUE(std::filesystem::is_empty(server_->directory()));
}

TEST_F(NfsEngineTest, TellsThatAUserMayNotWrite) {
  StartServer();
  OpenEngine("&uid=65534&gid=65534");
  const absl::Status status = engine_->CheckSpace().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("65534"));
  const Completion completion = Run(Make(v1::OPERATION_MKDIR, kRoot));
  EXPECT_EQ(completion.outcome, kPermissionDenied);
  EXPECT_EQ(engine_->ErrorName(completion.outcome), "NFS3ERR_ACCES");
}

TEST_F(NfsEngineTest, TellsWhyAServerCannotBeReached) {
  const std::string port = std::to_string(FreePort());
  const absl::Status refused = Open(absl::StrCat("nfs://127.0.0.1/e?nfsport=", port, "&mountport=", port)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("Connection refused"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr(port));
  const absl::Status unknown = Open("nfs://no-such-host.invalid/e?nfsport=1&mountport=1").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("no-such-host.invalid cannot be resolved"));
}

TEST_F(NfsEngineTest, TellsAFullFileSystem) {
  TemporaryDirectory directory;
  ASSERT_EQ(mount("crest-test", directory.path().c_str(), "tmpfs", 0, "size=1m"), 0) << std::strerror(errno);
  {
    StartServer({.export_directory = directory.path()});
    OpenEngine();
    const absl::StatusOr<Engine::Space> space = engine_->CheckSpace();
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_LE(space->free_bytes, 1 << 20);
    Build(0);
    const Completion completion = Run(Make(v1::OPERATION_WRITE, kFile, 1 << 20, 1 << 20));
    const Completion more = Run(Make(v1::OPERATION_WRITE, kFile, 1 << 20));
    EXPECT_TRUE(completion.outcome == kNoSpace || more.outcome == kNoSpace)
        << engine_->ErrorName(completion.outcome) << " " << engine_->ErrorName(more.outcome);
    EXPECT_EQ(engine_->ErrorName(kNoSpace), "NFS3ERR_NOSPC");
    engine_.reset();
    server_.reset();
  }
  EXPECT_EQ(umount2(directory.path().c_str(), MNT_DETACH), 0);
}

TEST_F(NfsEngineTest, ASilentServerTimesOutAndLateAnswersAreIgnored) {
  StartServer();
  OpenEngine("&timeout=300ms");
  Build(4096);
  server_->Pause();
  const MonoTime before = clock_.Now();
  TokenSink sink;
  Completion completion;
  for (uint64_t token = 0; token < 8; ++token) {
    ASSERT_EQ(engine_->Submit(Make(v1::OPERATION_READ, kFile, 4096), token, completion), SubmitResult::kAccepted);
    sink.Expect(token);
  }
  ASSERT_EQ(engine_->Submit(Make(v1::OPERATION_READ, kFile, 4096), 99, completion), SubmitResult::kBusy);
  while (sink.out() > 0 && clock_.Now() < before + 5 * kSecondNs) engine_->Reap(before + 5 * kSecondNs, sink);
  ASSERT_EQ(sink.completions.size(), 8u);
  for (const Completion& one : sink.completions) {
    EXPECT_EQ(one.outcome, kTimedOut);
    EXPECT_GE(one.done - one.sent, 290'000'000);
    EXPECT_LT(one.done - one.sent, 600'000'000);
  }
  EXPECT_EQ(engine_->in_flight(), 0);
  server_->Resume();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Run(Make(v1::OPERATION_READ, kFile, 4096)).bytes, 4096u);
  EXPECT_EQ(engine_->reconnect_count(), 0);
}

size_t OpenDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST_F(NfsEngineTest, ALostServerIsCountedAndFoundAgain) {
  StartServer();
  OpenEngine();
  Build(4096);
  const size_t descriptors = OpenDescriptors();
  for (int round = 1; round <= 3; ++round) {
    TokenSink sink;
    Completion completion;
    server_->Pause();  // so that the operations are surely in flight
    for (uint64_t token = 0; token < 8; ++token) {
      ASSERT_EQ(engine_->Submit(Make(v1::OPERATION_READ, kFile, 4096), token, completion), SubmitResult::kAccepted);
      sink.Expect(token);
    }
    server_->Kill();
    const MonoTime deadline = clock_.Now() + 5 * kSecondNs;
    while (sink.out() > 0 && clock_.Now() < deadline) engine_->Reap(deadline, sink);
    ASSERT_EQ(sink.completions.size(), 8u);
    for (const Completion& one : sink.completions) EXPECT_EQ(one.outcome, kConnectionLost);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(engine_->Submit(Make(v1::OPERATION_READ, kFile, 4096), 99, completion), SubmitResult::kBusy);
      const MonoTime until = clock_.Now() + kSecondNs / 20;
      engine_->Reap(until, sink);
      EXPECT_LT(clock_.Now() - until, kSecondNs / 5) << "reconnecting must not block";
    }
    ASSERT_TRUE(server_->Restart().ok());
    const Completion again = Run(Make(v1::OPERATION_READ, kFile, 4096));
    EXPECT_EQ(again.outcome, kOk) << engine_->Explain(again.outcome);
    EXPECT_EQ(engine_->reconnect_count(), round);
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
}

TEST_F(NfsEngineTest, SpeaksIpv6) {
  StartServer({.address = "::1"});
  OpenEngine();
  Build(4096);
  EXPECT_EQ(Run(Make(v1::OPERATION_READ, kFile, 4096)).bytes, 4096u);
}

}  // namespace
}  // namespace crest
