// Ctrl-C and its like, heard on a thread where anything may be done.
#ifndef CREST_PRIME_RUN_SIGNAL_WATCH_H_
#define CREST_PRIME_RUN_SIGNAL_WATCH_H_

#include <signal.h>

#include <array>
#include <functional>
#include <thread>

namespace crest {

/// While it lives, SIGINT, SIGTERM and SIGHUP are its: the first of them calls `first`, the next `second`, both on a
/// thread of its own; later ones do nothing. A SIGHUP that was ignored before (nohup) stays ignored; SIGINT is heard
/// even so, since a shell script starts its background jobs with SIGINT ignored and means to stop them with it. One at
/// a time in a process.
class SignalWatch {
 public:
  SignalWatch(std::function<void()> first, std::function<void()> second);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  void Listen();

  const std::function<void()> first_;
  const std::function<void()> second_;
  int pipe_[2] = {-1, -1};  // a handler may do no more than write
  std::array<struct sigaction, kSignals.size()> before_{};
  std::thread thread_;
};

}  // namespace crest

#endif  // CREST_PRIME_RUN_SIGNAL_WATCH_H_
