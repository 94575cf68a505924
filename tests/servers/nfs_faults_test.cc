// Engine `nfs` against answers that a healthy server does not give.
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/servers/fault_relay.h"
#include "tests/servers/nfs_fixture.h"

namespace crest {
namespace {

constexpr uint32_t kGetattr = 1;
constexpr uint32_t kLookup = 3;
constexpr uint32_t kRead = 6;
constexpr uint32_t kWrite = 7;
constexpr uint32_t kMkdir = 9;
constexpr uint32_t kStale = 70;
constexpr uint32_t kIo = 5;
constexpr uint32_t kDquot = 69;
constexpr uint32_t kJukebox = 10008;

class NfsFaultsTest : public NfsFixture {
 protected:
  void SetUp() override {
    NfsFixture::SetUp();
    if (IsSkipped()) return;
    StartServer();
    relay_ = std::make_unique<FaultRelay>(server_->nfs_port());
    OpenThroughRelay();
    Build(100'000);
  }

  void TearDown() override {
    engine_.reset();
    relay_.reset();
  }

  void OpenThroughRelay(const std::string& parameters = "") {
    absl::StatusOr<std::unique_ptr<Engine>> engine =
        Open(absl::StrCat("nfs://127.0.0.1", server_->directory(), "?nfsport=", relay_->port(),
                          "&mountport=", server_->mount_port(), parameters));
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  /// The next `times` calls of `procedure` are answered with `answer`.
  void Answer(uint32_t procedure, int times, const std::string& answer) {
    relay_->SetScript([=, left = times](uint32_t called) mutable -> std::optional<std::string> {
      if (called != procedure || left == 0) return std::nullopt;
      --left;
      return answer;
    });
  }

  // A status with the attributes missing that follow it: enough for every procedure's failure.
  static std::string Status(uint32_t status) { return FaultRelay::Accepted({status, 0, 0}); }
  static std::string WriteOk(uint32_t count) { return FaultRelay::Accepted({0, 0, 0, count, 2, 0, 0}); }

  std::string Name(const Completion& completion) const { return std::string(engine_->ErrorName(completion.outcome)); }

  std::unique_ptr<FaultRelay> relay_;
};

TEST_F(NfsFaultsTest, JukeboxIsTriedAgainLaterAndLater) {
  Answer(kGetattr, 4, Status(kJukebox));
  const Completion completion = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(completion.outcome, kOk);
  EXPECT_EQ(completion.calls, 1u);
  EXPECT_EQ(completion.extra_calls, 4u);
  EXPECT_GE(completion.done - completion.sent, (10 + 20 + 40 + 80) * 1'000'000);
  EXPECT_LT(completion.done - completion.sent, 2 * kSecondNs);
  // The next operation starts with the shortest delay.
  Answer(kGetattr, 1, Status(kJukebox));
  const Completion next = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_LT(next.done - next.sent, 80'000'000);
}

TEST_F(NfsFaultsTest, JukeboxForEverEndsWithItsName) {
  OpenThroughRelay("&timeout=200ms");
  Answer(kRead, -1, Status(kJukebox));
  const Completion completion = Run(Make(v1::OPERATION_READ, kFile, 100'000));
  EXPECT_EQ(Name(completion), "NFS3ERR_JUKEBOX");
  EXPECT_LT(completion.done - completion.sent, kSecondNs);
  relay_->SetScript(nullptr);
  EXPECT_EQ(Run(Make(v1::OPERATION_READ, kFile, 100'000)).bytes, 100'000u);
}

TEST_F(NfsFaultsTest, JukeboxInTheMiddleOfALongReadLosesNothing) {
  int calls = 0;
  relay_->SetScript([calls](uint32_t procedure) mutable -> std::optional<std::string> {
    if (procedure == kRead && ++calls % 2 == 0 && calls < 8) return Status(kJukebox);
    return std::nullopt;
  });
  const Completion completion = Run(Make(v1::OPERATION_READ, kFile, 100'000));
  EXPECT_EQ(completion.outcome, kOk);
  EXPECT_EQ(completion.bytes, 100'000u);
  EXPECT_EQ(completion.calls, 4u);
  EXPECT_EQ(completion.extra_calls, 3u);
}

TEST_F(NfsFaultsTest, ShortWritesAreContinued) {
  Answer(kWrite, 1, WriteOk(1000));
  const Completion completion = Run(Make(v1::OPERATION_WRITE, kFile, 100'000));
  EXPECT_EQ(completion.outcome, kOk);
  EXPECT_EQ(completion.bytes, 100'000u);
  EXPECT_EQ(completion.calls, 5u);
  EXPECT_EQ(completion.extra_calls, 0u);
}

TEST_F(NfsFaultsTest, AWriteThatMovesNothingIsShort) {
  Answer(kWrite, 1, WriteOk(0));
  EXPECT_EQ(Run(Make(v1::OPERATION_WRITE, kFile, 100'000)).outcome, kShortTransfer);
}

TEST_F(NfsFaultsTest, AServerThatClaimsMoreThanAskedGainsNothing) {
  Answer(kWrite, 1, WriteOk(1'000'000'000));
  EXPECT_EQ(Run(Make(v1::OPERATION_WRITE, kFile, 4096)).bytes, 4096u);
}

TEST_F(NfsFaultsTest, ShortReadsAreContinued) {
  // 8 bytes and not the end.
  Answer(kRead, 1, FaultRelay::Accepted({0, 0, 8, 0, 8, 0x01020304, 0x05060708}));
  const Completion completion = Run(Make(v1::OPERATION_READ, kFile, 32'768));
  EXPECT_EQ(completion.outcome, kOk);
  EXPECT_EQ(completion.bytes, 32'768u);
  EXPECT_EQ(completion.calls, 2u);
}

TEST_F(NfsFaultsTest, StaleTwiceIsAnError) {
  Answer(kGetattr, 2, Status(kStale));
  const Completion completion = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(Name(completion), "NFS3ERR_STALE");
  EXPECT_EQ(completion.calls, 1u);
  EXPECT_EQ(completion.extra_calls, 2u);
}

TEST_F(NfsFaultsTest, APathThatStaysStaleEnds) {
  engine_->Forget(kFile);
  Answer(kLookup, -1, Status(kStale));
  const Completion completion = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_EQ(Name(completion), "NFS3ERR_STALE");
  EXPECT_EQ(completion.calls, 0u);
  EXPECT_LE(completion.extra_calls, 10u);
}

TEST_F(NfsFaultsTest, ErrorsKeepTheirNames) {
  const std::map<uint32_t, std::string> names = {{1, "NFS3ERR_PERM"},       {kIo, "NFS3ERR_IO"},
                                                 {13, "NFS3ERR_ACCES"},     {28, "NFS3ERR_NOSPC"},
                                                 {kDquot, "NFS3ERR_DQUOT"}, {10006, "NFS3ERR_SERVERFAULT"},
                                                 {4711, "NFS3ERR_UNKNOWN"}};
  for (const auto& [status, name] : names) {
    Answer(kWrite, 1, Status(status));
    const Completion completion = Run(Make(v1::OPERATION_WRITE, kFile, 100));
    EXPECT_EQ(Name(completion), name);
    EXPECT_THAT(engine_->Explain(completion.outcome), testing::HasSubstr(files_->NameOf(kFile)));
  }
}

TEST_F(NfsFaultsTest, RefusalsOfTheRpcLayerAreNamed) {
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {FaultRelay::Refused(1), "RPC_PROG_UNAVAIL"},
      {FaultRelay::Refused(2) + std::string("\0\0\0\2\0\0\0\4", 8), "RPC_PROG_MISMATCH"},
      {FaultRelay::Refused(3), "RPC_PROC_UNAVAIL"},
      {FaultRelay::Refused(4), "RPC_GARBAGE_ARGS"},
      {FaultRelay::Refused(5), "RPC_SYSTEM_ERR"},
      {FaultRelay::Denied(), "RPC_DENIED"}};
  for (const auto& [answer, name] : refusals) {
    Answer(kMkdir, 1, answer);
    EXPECT_EQ(Name(Run(Make(v1::OPERATION_MKDIR, kRoot))), name);
  }
  EXPECT_EQ(engine_->reconnect_count(), 0);
}

TEST_F(NfsFaultsTest, GarbageLosesTheConnectionAndTheNextOneWorks) {
  Answer(kGetattr, 1, "garbage!");
  EXPECT_EQ(Run(Make(v1::OPERATION_GETATTR, kFile)).outcome, kConnectionLost);
  EXPECT_EQ(Run(Make(v1::OPERATION_GETATTR, kFile)).outcome, kOk);
  EXPECT_EQ(engine_->reconnect_count(), 1);
}

TEST_F(NfsFaultsTest, CallsThatAreNeverAnsweredDoNotPileUp) {
  OpenThroughRelay("&timeout=20ms");
  ASSERT_EQ(Run(Make(v1::OPERATION_GETATTR, kFile)).outcome, kOk);
  Answer(kGetattr, -1, "");
  TokenSink sink;
  uint64_t token = 0;
  const MonoTime deadline = clock_.Now() + 10 * kSecondNs;
  while (engine_->reconnect_count() == 0 && clock_.Now() < deadline) {
    Completion completion;
    while (engine_->Submit(Make(v1::OPERATION_GETATTR, kFile), token, completion) == SubmitResult::kAccepted) {
      sink.Expect(token++);
    }
    engine_->Reap(clock_.Now() + 30'000'000, sink);
  }
  EXPECT_EQ(engine_->reconnect_count(), 1);
  EXPECT_LT(token, 200u);
  relay_->SetScript(nullptr);
  while (sink.out() > 0 && clock_.Now() < deadline) engine_->Reap(deadline, sink);
  EXPECT_EQ(Run(Make(v1::OPERATION_GETATTR, kFile)).outcome, kOk);
}

TEST_F(NfsFaultsTest, CountsWhatIsOnTheWire) {
  OpenThroughRelay();
  const std::vector<int64_t> before = relay_->Seen();
  relay_->SetScript([calls = 0](uint32_t) mutable -> std::optional<std::string> {
    if (++calls % 7 == 0) return Status(kStale);
    if (calls % 31 == 0) return Status(kJukebox);
    return std::nullopt;
  });
  for (int i = 0; i < 50; ++i) {
    Run(Make(v1::OPERATION_READ, kFile, 100'000));
    Run(Make(v1::OPERATION_WRITE, kFile, 50'000));
    Run(Make(v1::OPERATION_LOOKUP, kFile));
    Run(Make(v1::OPERATION_READDIRPLUS, kDirectory));
    Run(Make(v1::OPERATION_FSSTAT, kRoot));
  }
  const std::vector<int64_t> seen = relay_->Seen();
  const auto counted = Procedures();
  int64_t extra = 0;
  for (const auto& [number, name] : std::map<size_t, std::string>{{0, "NULL"},
                                                                  {kGetattr, "GETATTR"},
                                                                  {kLookup, "LOOKUP"},
                                                                  {kRead, "READ"},
                                                                  {kWrite, "WRITE"},
                                                                  {17, "READDIRPLUS"},
                                                                  {18, "FSSTAT"}}) {
    EXPECT_EQ(counted.at(name).first + counted.at(name).second, seen[number] - before[number]) << name;
    extra += counted.at(name).second;
  }
  EXPECT_GT(extra, 20);
}

}  // namespace
}  // namespace crest
