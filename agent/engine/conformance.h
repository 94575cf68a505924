// What every engine must do, as tests. An engine's own test program includes this once and names its cases:
//
//   INSTANTIATE_TEST_SUITE_P(Nfs, EngineConformance, testing::Values(EngineCase{…}), EngineCaseName);
#ifndef CREST_AGENT_ENGINE_CONFORMANCE_H_
#define CREST_AGENT_ENGINE_CONFORMANCE_H_

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/engine/engine.h"
#include "agent/engine/engine_test_util.h"
#include "agent/engine/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workloads/file_set.h"
#include "workloads/operation.h"

namespace crest {

/// A place where an engine can be tried.
struct EngineCase {
  std::string name;    // letters and digits
  std::string scheme;  // as registered
  /// The targets' URLs; called before each test, and the targets are empty then. None: the test fails, for the
  /// reason that `why_not` has got: a server that is missing must not go unseen.
  std::function<std::vector<std::string>(std::string& why_not)> targets;
  /// Called after each test, when the engine is gone. May be empty.
  std::function<void()> clean_up = [] {};
  /// Whether it remembers what was done to it: false for simulated servers, where everything succeeds.
  bool has_state = true;
  /// Whether it runs in virtual time: a SimulatedClock then.
  bool virtual_time = false;
};

inline void PrintTo(const EngineCase& engine_case, std::ostream* out) { *out << engine_case.name; }

inline std::string EngineCaseName(const testing::TestParamInfo<EngineCase>& info) { return info.param.name; }

class EngineConformance : public testing::TestWithParam<EngineCase> {
 protected:
  static constexpr uint32_t kMaxInFlight = 4;
  static constexpr uint32_t kMaxLength = 128 << 10;
  static constexpr int64_t kSecondNs = 1'000'000'000;

  void SetUp() override {
    std::string why_not = "no target";
    const std::vector<std::string> urls = GetParam().targets(why_not);
    ASSERT_FALSE(urls.empty()) << why_not;
    absl::StatusOr<const EngineType*> type = FindEngine(GetParam().scheme);
    ASSERT_TRUE(type.ok()) << type.status();
    type_ = *type;
    absl::StatusOr<FileSet> files = FileSet::Create(SmallWorkload(), 1);
    ASSERT_TRUE(files.ok()) << files.status();
    files_.emplace(*std::move(files));
    for (const std::string& url : urls) {
      absl::StatusOr<Target> target = ParseTarget(url);
      ASSERT_TRUE(target.ok()) << target.status();
      ASSERT_TRUE(type_->check_target(*target).ok()) << type_->check_target(*target);
      config_.targets.push_back(*target);
    }
    config_.files = &*files_;
    config_.clock = &clock();
    config_.transfer_size = 32 << 10;
    config_.max_length = kMaxLength;
    config_.max_in_flight = kMaxInFlight;
    config_.seed = 1;
    absl::StatusOr<std::unique_ptr<Engine>> engine = type_->open(config_);
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  void TearDown() override {
    engine_.reset();
    GetParam().clean_up();
  }

  Clock& clock() {
    if (GetParam().virtual_time) return simulated_;
    return real_;
  }

  bool Can(v1::OperationKind kind) const {
    return std::find(type_->operations.begin(), type_->operations.end(), kind) != type_->operations.end();
  }

  Operation Make(v1::OperationKind kind, ObjectId object) const {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    if (object.kind() != ObjectKind::kRoot) operation.parent = files_->ParentOf(object);
    if (object.kind() == ObjectKind::kCreated) operation.parent = kDirectory;
    if (kind == v1::OPERATION_READ || kind == v1::OPERATION_WRITE) operation.length = 4096;
    return operation;
  }

  /// Submits and waits, ten seconds at most.
  Completion Run(const Operation& operation) {
    TokenSink sink;
    const uint64_t token = next_token_++;
    sink.Expect(token);
    const MonoTime deadline = clock().Now() + 10 * kSecondNs;
    Completion completion;
    for (;;) {
      const SubmitResult result = engine_->Submit(operation, token, completion);
      if (result == SubmitResult::kDone) {
        EXPECT_EQ(completion.token, token);
        EXPECT_LE(completion.sent, completion.done);
        return completion;
      }
      if (result == SubmitResult::kAccepted) break;
      if (clock().Now() >= deadline) break;
      engine_->Reap(clock().Now() + kSecondNs / 100, sink);
    }
    while (sink.completions.empty() && clock().Now() < deadline) engine_->Reap(deadline, sink);
    EXPECT_EQ(sink.completions.size(), 1u) << OperationName(operation.kind) << " did not come back";
    return sink.completions.empty() ? Completion{.token = token, .outcome = kTimedOut} : sink.completions[0];
  }
  Completion Run(v1::OperationKind kind, ObjectId object) { return Run(Make(kind, object)); }

  void ExpectOk(const Operation& operation) {
    const Completion completion = Run(operation);
    EXPECT_EQ(completion.outcome, kOk) << OperationName(operation.kind) << ": " << engine_->Explain(completion.outcome);
    EXPECT_GE(completion.calls, 1u);
  }

  /// Makes the directories that tests work in, and a file of 256 KiB. False when the engine has no such things.
  bool Build() {
    if (!Can(v1::OPERATION_MKDIR) || !Can(v1::OPERATION_CREATE)) return false;
    for (const ObjectId directory : {kRoot, kGroup, kDirectory}) ExpectOk(Make(v1::OPERATION_MKDIR, directory));
    ExpectOk(Make(v1::OPERATION_CREATE, kFile));
    for (uint64_t offset = 0; offset < kFileSize; offset += kMaxLength) {
      Operation write = Make(v1::OPERATION_WRITE, kFile);
      write.offset = offset;
      write.length = kMaxLength;
      ExpectOk(write);
    }
    return !HasFailure();
  }

  static constexpr ObjectId kRoot{ObjectKind::kRoot, 0};
  static constexpr ObjectId kGroup{ObjectKind::kGroup, 0};
  static constexpr ObjectId kDirectory{ObjectKind::kDirectory, 0};
  static constexpr ObjectId kFile{ObjectKind::kFile, 3};
  static constexpr ObjectId kNonIoFile{ObjectKind::kNonIoFile, 0};
  static constexpr ObjectId kSymlink{ObjectKind::kSymlink, 0};
  static constexpr ObjectId kCreated{ObjectKind::kCreated, 77};
  static constexpr uint64_t kFileSize = 2 * kMaxLength;

  SimulatedClock simulated_;
  RealClock real_;
  const EngineType* type_ = nullptr;
  std::optional<FileSet> files_;
  EngineConfig config_;
  std::unique_ptr<Engine> engine_;
  uint64_t next_token_ = 1000;
};

TEST_P(EngineConformance, ReapPollsWhenTheTimeHasPassed) {
  TokenSink sink;
  const MonoTime before = clock().Now();
  engine_->Reap(before, sink);
  engine_->Reap(MonoTime(), sink);
  EXPECT_LT(clock().Now() - before, kSecondNs / 5);
  EXPECT_TRUE(sink.completions.empty());
  EXPECT_EQ(engine_->in_flight(), 0);
}

TEST_P(EngineConformance, ReapReturnsInTimeWhenNothingComes) {
  TokenSink sink;
  const MonoTime until = clock().Now() + kSecondNs / 20;
  engine_->Reap(until, sink);
  EXPECT_GE(clock().Now(), until);
  EXPECT_LT(clock().Now() - until, kSecondNs / 5);
}

TEST_P(EngineConformance, TokensComeBackOnceAndTheBoundHolds) {
  if (GetParam().has_state && !Build()) GTEST_SKIP() << "nothing to read";
  TokenSink sink;
  int accepted = 0;
  int done = 0;
  const int operations = 200;
  const MonoTime deadline = clock().Now() + 20 * kSecondNs;
  for (int i = 0; i < operations && clock().Now() < deadline;) {
    Completion completion;
    const uint64_t token = static_cast<uint64_t>(i) * 7 + 1;
    const SubmitResult result = engine_->Submit(Make(v1::OPERATION_READ, kFile), token, completion);
    if (result == SubmitResult::kBusy) {
      EXPECT_GT(engine_->in_flight(), 0);
      engine_->Reap(deadline, sink);
      continue;
    }
    ++i;
    if (result == SubmitResult::kDone) {
      EXPECT_EQ(completion.token, token);
      ++done;
      continue;
    }
    sink.Expect(token);
    ++accepted;
    EXPECT_LE(engine_->in_flight(), static_cast<int>(kMaxInFlight));
    EXPECT_EQ(engine_->in_flight(), static_cast<int>(sink.out()));
  }
  while (sink.out() > 0 && clock().Now() < deadline) engine_->Reap(deadline, sink);
  EXPECT_EQ(accepted + done, operations);
  EXPECT_EQ(sink.completions.size(), static_cast<size_t>(accepted));
  EXPECT_EQ(engine_->in_flight(), 0);
}

TEST_P(EngineConformance, EveryClaimedOperationSucceedsInALegalSequence) {
  const bool built = Build();
  ASSERT_TRUE(built || !GetParam().has_state);
  const std::vector<std::pair<v1::OperationKind, ObjectId>> sequence = {
      {v1::OPERATION_CREATE, kNonIoFile},      {v1::OPERATION_SYMLINK, kSymlink},   {v1::OPERATION_LOOKUP, kFile},
      {v1::OPERATION_GETATTR, kFile},          {v1::OPERATION_SETATTR, kNonIoFile}, {v1::OPERATION_ACCESS, kFile},
      {v1::OPERATION_READLINK, kSymlink},      {v1::OPERATION_READ, kFile},         {v1::OPERATION_WRITE, kFile},
      {v1::OPERATION_COMMIT, kFile},           {v1::OPERATION_CREATE, kCreated},    {v1::OPERATION_READDIR, kDirectory},
      {v1::OPERATION_READDIRPLUS, kDirectory}, {v1::OPERATION_FSSTAT, kRoot},       {v1::OPERATION_REMOVE, kCreated},
      {v1::OPERATION_REMOVE, kSymlink},        {v1::OPERATION_REMOVE, kNonIoFile},  {v1::OPERATION_REMOVE, kFile},
      {v1::OPERATION_RMDIR, kDirectory},       {v1::OPERATION_RMDIR, kGroup},       {v1::OPERATION_RMDIR, kRoot}};
  std::set<v1::OperationKind> tried = {v1::OPERATION_MKDIR};
  for (const auto& [kind, object] : sequence) {
    if (!Can(kind)) continue;
    tried.insert(kind);
    ExpectOk(Make(kind, object));
  }
  for (const v1::OperationKind kind : type_->operations) {
    EXPECT_TRUE(tried.count(kind) > 0) << OperationName(kind) << " is claimed and was not tried";
  }
}

TEST_P(EngineConformance, SizesAreTold) {
  if (!GetParam().has_state || !Can(v1::OPERATION_LOOKUP)) GTEST_SKIP() << "has no files";
  ASSERT_TRUE(Build());
  EXPECT_EQ(Run(v1::OPERATION_LOOKUP, kFile).object_size, static_cast<int64_t>(kFileSize));
  EXPECT_EQ(Run(v1::OPERATION_GETATTR, kFile).object_size, static_cast<int64_t>(kFileSize));
}

TEST_P(EngineConformance, BytesAreCounted) {
  if (GetParam().has_state && !Build()) GTEST_SKIP() << "nothing to read";
  for (const uint32_t length : {1u, 4096u, 32768u, 32769u, 100'000u, kMaxLength}) {
    Operation read = Make(v1::OPERATION_READ, kFile);
    read.length = length;
    const Completion completion = Run(read);
    EXPECT_EQ(completion.outcome, kOk) << engine_->Explain(completion.outcome);
    EXPECT_EQ(completion.bytes, length);
    Operation write = Make(v1::OPERATION_WRITE, kFile);
    write.length = length;
    write.generation = length;
    EXPECT_EQ(Run(write).bytes, length);
  }
}

TEST_P(EngineConformance, ReadingPastTheEndIsShortAndNoError) {
  if (!GetParam().has_state || !Can(v1::OPERATION_CREATE)) GTEST_SKIP() << "has no files";
  ASSERT_TRUE(Build());
  Operation read = Make(v1::OPERATION_READ, kFile);
  read.offset = kFileSize - 1000;
  read.length = kMaxLength;
  const Completion across = Run(read);
  EXPECT_EQ(across.outcome, kOk);
  EXPECT_EQ(across.bytes, 1000u);
  read.offset = kFileSize + 1000;
  const Completion beyond = Run(read);
  EXPECT_EQ(beyond.outcome, kOk);
  EXPECT_EQ(beyond.bytes, 0u);
}

TEST_P(EngineConformance, MissingObjectsAreNotFound) {
  if (!GetParam().has_state || !Can(v1::OPERATION_LOOKUP)) GTEST_SKIP() << "has no files";
  EXPECT_EQ(Run(v1::OPERATION_LOOKUP, kRoot).outcome, kNotFound);
  EXPECT_EQ(Run(v1::OPERATION_GETATTR, kFile).outcome, kNotFound) << "on a target without its directory";
  ASSERT_TRUE(Build());
  const ObjectId missing(ObjectKind::kFile, 5);
  for (const v1::OperationKind kind :
       {v1::OPERATION_LOOKUP, v1::OPERATION_GETATTR, v1::OPERATION_READ, v1::OPERATION_WRITE, v1::OPERATION_REMOVE}) {
    const Completion completion = Run(kind, missing);
    EXPECT_EQ(completion.outcome, kNotFound) << OperationName(kind);
    EXPECT_EQ(completion.bytes, 0u);
  }
  EXPECT_THAT(engine_->Explain(kNotFound), testing::HasSubstr(files_->NameOf(missing)));
}

TEST_P(EngineConformance, RemovedFilesAreGoneAndDirectoriesMadeTwiceAreRefused) {
  if (!GetParam().has_state || !Can(v1::OPERATION_REMOVE)) GTEST_SKIP() << "has no files";
  ASSERT_TRUE(Build());
  EXPECT_EQ(Run(v1::OPERATION_MKDIR, kDirectory).outcome, kAlreadyExists);
  ExpectOk(Make(v1::OPERATION_REMOVE, kFile));
  EXPECT_EQ(Run(v1::OPERATION_GETATTR, kFile).outcome, kNotFound);
  ExpectOk(Make(v1::OPERATION_CREATE, kFile));
  EXPECT_EQ(Run(v1::OPERATION_GETATTR, kFile).object_size, 0);
}

TEST_P(EngineConformance, ForgettingAnObjectChangesNothingElse) {
  if (GetParam().has_state && !Build()) GTEST_SKIP() << "nothing to forget";
  for (const ObjectId object : {kFile, kDirectory, kRoot, kCreated}) engine_->Forget(object);
  ExpectOk(Make(v1::OPERATION_READ, kFile));
}

TEST_P(EngineConformance, OutcomesHaveNames) {
  for (Outcome outcome = kOk; outcome < 100; ++outcome) {
    EXPECT_FALSE(engine_->ErrorName(outcome).empty()) << outcome;
    EXPECT_FALSE(engine_->Explain(outcome).empty()) << outcome;
  }
  EXPECT_EQ(engine_->ErrorName(kTimedOut), "TIMEOUT");
  EXPECT_EQ(engine_->ErrorName(kConnectionLost), "CONNECTION_LOST");
}

TEST_P(EngineConformance, CallsAreCountedByProcedure) {
  const bool built = Build();
  ASSERT_TRUE(built || !GetParam().has_state);
  std::map<std::string, int64_t> before;
  for (const Engine::ProcedureCount& count : engine_->Procedures()) {
    before[std::string(count.procedure)] = count.calls + count.extra_calls;
  }
  if (before.empty()) GTEST_SKIP() << "sends no calls";
  int64_t calls = 0;
  for (int i = 0; i < 5; ++i) {
    Operation read = Make(v1::OPERATION_READ, kFile);
    read.length = kMaxLength;
    const Completion completion = Run(read);
    calls += completion.calls + completion.extra_calls;
  }
  int64_t counted = 0;
  for (const Engine::ProcedureCount& count : engine_->Procedures()) {
    counted += count.calls + count.extra_calls - before[std::string(count.procedure)];
  }
  EXPECT_EQ(counted, calls);
}

TEST_P(EngineConformance, SpaceIsToldAndNothingIsLeftBehind) {
  const absl::StatusOr<Engine::Space> space = engine_->CheckSpace();
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_GT(space->free_bytes, 0);
  EXPECT_EQ(engine_->in_flight(), 0);
}

TEST_P(EngineConformance, NothingCompletesAfterDestruction) {
  if (GetParam().has_state && !Build()) GTEST_SKIP() << "nothing to read";
  TokenSink sink;
  Completion completion;
  for (uint64_t token = 1; token <= kMaxInFlight; ++token) {
    if (engine_->Submit(Make(v1::OPERATION_READ, kFile), token, completion) == SubmitResult::kAccepted) {
      sink.Expect(token);
    }
  }
  const size_t out = sink.out();
  engine_.reset();
  EXPECT_EQ(sink.out(), out);
  EXPECT_TRUE(sink.completions.empty());
}

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_CONFORMANCE_H_
