#include "prime/run/signal_watch.h"

#include <condition_variable>
#include <mutex>

#include "gtest/gtest.h"

namespace crest {
namespace {

// Counts calls and lets a test wait for them.
class Calls {
 public:
  void Note(char what) {
    const std::lock_guard lock(mutex_);
    seen_ += what;
    changed_.notify_all();
  }
  std::string Await(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(30), [&] { return seen_.size() >= count; });
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string seen_;
};

TEST(SignalWatchTest, FirstAndSecondAreToldApart) {
  Calls calls;
  const SignalWatch watch([&] { calls.Note('1'); }, [&] { calls.Note('2'); });
  raise(SIGINT);
  EXPECT_EQ(calls.Await(1), "1");
  raise(SIGTERM);
  EXPECT_EQ(calls.Await(2), "12");
}

TEST(SignalWatchTest, HandlersComeBack) {
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  {
    const SignalWatch watch([] {}, [] {});
  }
  struct sigaction after {};
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(SignalWatchTest, IgnoredHangupStaysIgnored) {
  signal(SIGHUP, SIG_IGN);
  {
    const SignalWatch watch([] {}, [] {});
    struct sigaction now {};
    sigaction(SIGHUP, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
  }
  signal(SIGHUP, SIG_DFL);
}

TEST(SignalWatchTest, InterruptIsHeardInABackgroundJob) {
  signal(SIGINT, SIG_IGN);
  {
    Calls calls;
    const SignalWatch watch([&] { calls.Note('1'); }, [] {});
    raise(SIGINT);
    EXPECT_EQ(calls.Await(1), "1");
  }
  signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace crest
