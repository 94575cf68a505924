#include "agent/engines/nfs/arrival_times.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace crest::nfs {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// Two ends of a TCP connection on loopback.
class ArrivalTimesTest : public testing::Test {
 protected:
  void SetUp() override {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listener, generic, sizeof(address)), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    ASSERT_EQ(getsockname(listener, generic, &length), 0);
    client_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(client_, generic, sizeof(address)), 0);
    server_ = accept(listener, nullptr, nullptr);
    ASSERT_GE(server_, 0);
    close(listener);
  }

  void TearDown() override {
    close(client_);
    close(server_);
  }

  // Sends from the server's end, and returns when the client's end has it.
  void Answer(const std::string& bytes) const {
    ASSERT_EQ(send(server_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    std::string peeked(bytes.size(), '\0');
    ASSERT_EQ(recv(client_, peeked.data(), peeked.size(), MSG_PEEK | MSG_WAITALL), static_cast<ssize_t>(bytes.size()));
  }

  // Where no socket of this host asked before, the kernel begins to stamp a moment after it was asked (from a work
  // queue); what arrives until then is as old as its reading.
  void EnableAndSettle() {
    times_.Enable(client_);
    for (int answers = 0; answers < 100; ++answers) {
      Answer("settle");
      absl::SleepFor(absl::Milliseconds(5));
      const bool stamped = clock_.Now() - times_.OfWaiting(client_, clock_) >= 2 * kMillisecond;
      char read[16];
      ASSERT_EQ(recv(client_, read, sizeof(read), 0), 6);
      if (stamped) return;
    }
    FAIL() << "the kernel does not stamp what arrives";
  }

  RealClock clock_;
  ArrivalTimes times_;
  int client_ = -1;
  int server_ = -1;
};

TEST_F(ArrivalTimesTest, AreNotThoseOfReading) {
  EnableAndSettle();
  const MonoTime before = clock_.Now();
  Answer("answer");
  const MonoTime there = clock_.Now();
  absl::SleepFor(absl::Milliseconds(50));
  const MonoTime arrived = times_.OfWaiting(client_, clock_);
  // The two clocks are read one after the other.
  EXPECT_GE(arrived, before + -kMillisecond);
  EXPECT_LE(arrived, there + kMillisecond);
  char read[16];
  EXPECT_EQ(recv(client_, read, sizeof(read), 0), 6) << "something was read";
}

TEST_F(ArrivalTimesTest, AreOfTheLastByte) {
  EnableAndSettle();
  Answer("first");
  absl::SleepFor(absl::Milliseconds(50));
  const MonoTime second = clock_.Now();
  Answer("second");
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_GE(times_.OfWaiting(client_, clock_), second + -kMillisecond);
}

TEST_F(ArrivalTimesTest, AreNowWhereTheKernelDoesNotTell) {
  Answer("answer");
  absl::SleepFor(absl::Milliseconds(50));
  const MonoTime before = clock_.Now();
  EXPECT_GE(times_.OfWaiting(client_, clock_), before);
}

TEST_F(ArrivalTimesTest, AreNowWhereNothingWaits) {
  times_.Enable(client_);
  const MonoTime before = clock_.Now();
  EXPECT_GE(times_.OfWaiting(client_, clock_), before);
  close(server_);
  server_ = -1;
  EXPECT_GE(times_.OfWaiting(client_, clock_), before);
}

}  // namespace
}  // namespace crest::nfs
