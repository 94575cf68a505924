// The throttle before a real server: that calls wait as long as they should, and nothing is lost.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/servers/nfs_fixture.h"

namespace crest {
namespace {

/// nfs-throttle, ended with this object.
class ThrottleProcess {
 public:
  ThrottleProcess(uint16_t server_port, const std::vector<std::string>& options) {
    int ends[2];
    if (pipe(ends) != 0) return;
    std::vector<std::string> words = {"nfs-throttle", "--listen", "127.0.0.1:0", "--to",
                                      absl::StrCat("127.0.0.1:", server_port)};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execv(CREST_NFS_THROTTLE, arguments.data());
      _exit(127);
    }
    close(ends[1]);
    std::FILE* output = fdopen(ends[0], "r");
    int port = 0;
    if (std::fscanf(output, "%d", &port) == 1) port_ = static_cast<uint16_t>(port);
    std::fclose(output);
  }
  ~ThrottleProcess() { EXPECT_EQ(Stop(), 0); }

  uint16_t port() const { return port_; }
  /// Its exit status after SIGTERM.
  int Stop() {
    if (pid_ <= 0) return 0;
    kill(pid_, SIGTERM);
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

class NfsThrottleTest : public NfsFixture {
 protected:
  void OpenThrough(const ThrottleProcess& throttle, uint32_t in_flight) {
    ASSERT_NE(throttle.port(), 0);
    absl::StatusOr<std::unique_ptr<Engine>> engine =
        Open(absl::StrCat("nfs://127.0.0.1", server_->directory(), "?nfsport=", throttle.port(),
                          "&mountport=", server_->mount_port(), "&connections=2"),
             in_flight);
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  /// Keeps `in_flight` GETATTRs going until `count` are done. Their service times, sorted, ns.
  std::vector<int64_t> Measure(uint32_t in_flight, size_t count) {
    TokenSink sink;
    uint64_t token = 0;
    const MonoTime deadline = clock_.Now() + 20 * kSecondNs;
    while (sink.completions.size() < count && clock_.Now() < deadline) {
      Completion completion;
      while (sink.out() < in_flight &&
             engine_->Submit(Make(v1::OPERATION_GETATTR, kFile), token, completion) == SubmitResult::kAccepted) {
        sink.Expect(token++);
      }
      engine_->Reap(deadline, sink);
    }
    while (sink.out() > 0 && clock_.Now() < deadline) engine_->Reap(deadline, sink);
    std::vector<int64_t> times;
    for (const Completion& completion : sink.completions) {
      EXPECT_EQ(completion.outcome, kOk);
      times.push_back(completion.done - completion.sent);
    }
    std::sort(times.begin(), times.end());
    return times;
  }
};

TEST_F(NfsThrottleTest, HoldsEveryCallForTheServiceTime) {
  StartServer();
  ThrottleProcess throttle(server_->nfs_port(), {"--service-time", "2ms"});
  OpenThrough(throttle, 1);
  Build(4096);
  const std::vector<int64_t> times = Measure(1, 100);
  ASSERT_GE(times.size(), 100u);
  EXPECT_GE(times.front(), 2'000'000);
  // The rest of the way is far below a millisecond, unless the machine is busy.
  EXPECT_LT(times[times.size() / 4], 3'000'000);
}

TEST_F(NfsThrottleTest, OneQueueBoundsTheRateWhateverIsOffered) {
  StartServer();
  ThrottleProcess throttle(server_->nfs_port(), {"--service-time", "2ms", "--workers", "2"});
  OpenThrough(throttle, 8);
  Build(4096);
  const MonoTime begin = clock_.Now();
  const std::vector<int64_t> times = Measure(8, 400);
  const double rate = static_cast<double>(times.size()) * 1e9 / static_cast<double>(clock_.Now() - begin);
  EXPECT_LE(rate, 1005);  // 2 workers ÷ 2 ms
  EXPECT_GE(rate, 700);
  // Eight calls share two workers: each waits for three before it.
  EXPECT_GE(times[times.size() / 2], 7'000'000);
}

TEST_F(NfsThrottleTest, LargeCallsPassWhole) {
  StartServer();
  ThrottleProcess throttle(server_->nfs_port(), {"--service-time", "100us", "--law", "exponential"});
  OpenThrough(throttle, 4);
  Build(1 << 20);
  EXPECT_EQ(Run(Make(v1::OPERATION_READ, kFile, 1 << 20)).bytes, 1u << 20);
  EXPECT_EQ(throttle.Stop(), 0);
}

TEST_F(NfsThrottleTest, AServerThatGoesTakesItsConnectionsAlong) {
  StartServer();
  ThrottleProcess throttle(server_->nfs_port(), {"--service-time", "1ms"});
  OpenThrough(throttle, 4);
  Build(4096);
  server_->Kill();
  const Completion lost = Run(Make(v1::OPERATION_GETATTR, kFile));
  EXPECT_TRUE(lost.outcome == kConnectionLost || lost.outcome == kTimedOut);
  ASSERT_TRUE(server_->Restart().ok());
  EXPECT_EQ(Run(Make(v1::OPERATION_GETATTR, kFile)).outcome, kOk);
}

}  // namespace
}  // namespace crest
