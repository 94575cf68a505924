#include "prime/run/signal_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace crest {
namespace {

constexpr char kSignalled = 's';
constexpr char kQuit = 'q';

std::atomic<int> write_end{-1};

void WriteByte(int fd, char byte) {
  // A pipe that is full holds more signals than are listened to.
  [[maybe_unused]] const ssize_t written = write(fd, &byte, 1);
}

void OnSignal(int) {
  const int saved = errno;
  const int fd = write_end.load();
  if (fd >= 0) WriteByte(fd, kSignalled);
  errno = saved;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void()> first, std::function<void()> second)
    : first_(std::move(first)), second_(std::move(second)) {
  if (pipe2(pipe_, O_CLOEXEC) != 0) return;  // out of descriptors: signals keep their meaning
  write_end = pipe_[1];
  thread_ = std::thread([this] { Listen(); });
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    const bool keep = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!keep) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!thread_.joinable()) return;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  write_end = -1;
  WriteByte(pipe_[1], kQuit);
  thread_.join();
  close(pipe_[0]);
  close(pipe_[1]);
}

void SignalWatch::Listen() {
  int heard = 0;
  char byte = 0;
  while (true) {
    const ssize_t length = read(pipe_[0], &byte, 1);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0 || byte == kQuit) return;
    ++heard;
    if (heard == 1) first_();
    if (heard == 2) second_();
  }
}

}  // namespace crest
