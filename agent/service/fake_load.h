// A LoadSession that does as a test says.
#ifndef CREST_AGENT_SERVICE_FAKE_LOAD_H_
#define CREST_AGENT_SERVICE_FAKE_LOAD_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/load/load_session.h"

namespace crest {

/// What a test decides and what the fake loads of one agent did. Thread-safe; std::mutex, so that ThreadSanitizer
/// follows.
class FakeLoadScript {
 public:
  struct State {
    // Decided by the test.
    absl::Status open_status;
    absl::Status prepare_status;
    bool hold_open = false;     // Open blocks
    bool hold_prepare = false;  // Prepare blocks until it is let go or stopped
    bool hold_point = true;     // RunPoint lasts until Stop
    int intervals = 3;          // that RunPoint reports at once
    // What happened.
    int opening = 0;
    int opened = 0;
    int preparing = 0;
    int running = 0;
    int stops = 0;
    int closes = 0;
    std::vector<v1::AdjustPoint> adjusted;
    int64_t lease_until_ns = 0;  // when the last command began
  };

  /// Changes or reads the state, then wakes whoever waits.
  template <typename Function>
  auto Do(Function function) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return function(state_);
  }
  /// Whether `condition` came true, within a minute: a test that has to wait as long has failed.
  bool WaitFor(const std::function<bool(const State&)>& condition);
  /// For the fake's own waits, which have no bound.
  void Wait(const std::function<bool(const State&)>& condition);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_;
};

/// Opens fakes that follow `script`.
absl::StatusOr<std::unique_ptr<LoadSession>> OpenFakeLoad(const std::shared_ptr<FakeLoadScript>& script);

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_FAKE_LOAD_H_
