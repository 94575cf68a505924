// A coroutine that does several operations, one after another, while hundreds like it share one thread.
#ifndef CREST_AGENT_LOAD_TASK_H_
#define CREST_AGENT_LOAD_TASK_H_

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace crest {

/// Starts when it is first awaited or resumed; ends with a Status. Owns its frame: destroying a Task that waits drops
/// what it was about to do. Not thread-safe.
class Task {
 public:
  struct promise_type {
    absl::Status result;
    std::coroutine_handle<> awaiting = std::noop_coroutine();

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Resumer {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().awaiting;
        }
        void await_resume() noexcept {}
      };
      return Resumer{};
    }
    void return_value(absl::Status status) { result = std::move(status); }
    void unhandled_exception() { std::terminate(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs until it waits or ends.
  void Start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  /// Once done.
  const absl::Status& result() const { return handle_.promise().result; }

  /// Another task waits for this one with co_await, which yields its Status.
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  absl::Status await_resume() { return std::move(handle_.promise().result); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_TASK_H_
