// One engine `nfs` on a server of the test's own.
#ifndef CREST_TESTS_SERVERS_NFS_FIXTURE_H_
#define CREST_TESTS_SERVERS_NFS_FIXTURE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/engine_test_util.h"
#include "agent/engine/registry.h"
#include "tests/servers/ganesha_server.h"

namespace crest {

/// Skips where no server can run.
class NfsFixture : public testing::Test {
 protected:
  static constexpr int64_t kSecondNs = 1'000'000'000;

  void SetUp() override {
    ASSERT_TRUE(GaneshaServer::Available().ok()) << GaneshaServer::Available();
    files_ = std::make_unique<FileSet>(*FileSet::Create(SmallWorkload(), 1));
  }

  void StartServer(const GaneshaServer::Options& options = {}) {
    absl::StatusOr<std::unique_ptr<GaneshaServer>> server = GaneshaServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  absl::StatusOr<std::unique_ptr<Engine>> Open(const std::string& url, uint32_t max_in_flight = 8) {
    absl::StatusOr<Target> target = ParseTarget(url);
    if (!target.ok()) return target.status();
    absl::StatusOr<const EngineType*> type = FindEngine("nfs");
    if (!type.ok()) return type.status();
    EngineConfig config;
    config.targets = {*target};
    config.files = files_.get();
    config.clock = &clock_;
    config.max_in_flight = max_in_flight;
    config.max_length = 1 << 20;
    config.seed = 1;
    return (*type)->open(config);
  }

  void OpenEngine(const std::string& parameters = "", uint32_t max_in_flight = 8) {
    absl::StatusOr<std::unique_ptr<Engine>> engine = Open(server_->Url(parameters), max_in_flight);
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  Operation Make(v1::OperationKind kind, ObjectId object, uint32_t length = 0, uint64_t offset = 0) const {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    if (object.kind() != ObjectKind::kRoot) operation.parent = files_->ParentOf(object);
    operation.length = length;
    operation.offset = offset;
    return operation;
  }

  Completion Run(const Operation& operation, int64_t bound_ns = 10 * kSecondNs) {
    TokenSink sink;
    const MonoTime deadline = clock_.Now() + bound_ns;
    Completion completion;
    SubmitResult result = SubmitResult::kBusy;
    while (result == SubmitResult::kBusy && clock_.Now() < deadline) {
      result = engine_->Submit(operation, 1, completion);
      if (result == SubmitResult::kBusy) engine_->Reap(clock_.Now() + kSecondNs / 100, sink);
    }
    EXPECT_EQ(result, SubmitResult::kAccepted);
    if (result != SubmitResult::kAccepted) return {.outcome = kTimedOut};
    sink.Expect(1);
    while (sink.out() > 0 && clock_.Now() < deadline) engine_->Reap(deadline, sink);
    EXPECT_EQ(sink.out(), 0u);
    return sink.completions.empty() ? Completion{.outcome = kTimedOut} : sink.completions[0];
  }

  void Build(uint32_t file_bytes) {
    for (const ObjectId directory : {kRoot, kGroup, kDirectory}) {
      ASSERT_EQ(Run(Make(v1::OPERATION_MKDIR, directory)).outcome, kOk);
    }
    ASSERT_EQ(Run(Make(v1::OPERATION_CREATE, kFile)).outcome, kOk);
    if (file_bytes == 0) return;
    ASSERT_EQ(Run(Make(v1::OPERATION_WRITE, kFile, file_bytes)).outcome, kOk);
  }

  std::string LocalPath(ObjectId file) const {
    return absl::StrCat(server_->directory(), "/", files_->root_name(), "/", files_->NameOf(kGroup), "/",
                        files_->NameOf(kDirectory), "/", files_->NameOf(file));
  }

  std::map<std::string, std::pair<int64_t, int64_t>> Procedures() const {
    std::map<std::string, std::pair<int64_t, int64_t>> counts;
    for (const Engine::ProcedureCount& count : engine_->Procedures()) {
      counts[std::string(count.procedure)] = {count.calls, count.extra_calls};
    }
    return counts;
  }

  static constexpr ObjectId kRoot{ObjectKind::kRoot, 0};
  static constexpr ObjectId kGroup{ObjectKind::kGroup, 0};
  static constexpr ObjectId kDirectory{ObjectKind::kDirectory, 0};
  static constexpr ObjectId kFile{ObjectKind::kFile, 3};

  RealClock clock_;
  std::unique_ptr<FileSet> files_;
  std::unique_ptr<GaneshaServer> server_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace crest

#endif  // CREST_TESTS_SERVERS_NFS_FIXTURE_H_
