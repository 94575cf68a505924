// A bounded queue between one producing and one consuming thread, without locks.
#ifndef CREST_AGENT_LOAD_SPSC_QUEUE_H_
#define CREST_AGENT_LOAD_SPSC_QUEUE_H_

#include <array>
#include <atomic>
#include <cstddef>

namespace crest {

/// `Capacity` is a power of two. Push by one thread, Pop by one other.
template <typename T, size_t Capacity>
class SpscQueue {
  static_assert((Capacity & (Capacity - 1)) == 0);

 public:
  /// False when full.
  bool Push(T value) {
    const size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == Capacity) return false;
    items_[tail % Capacity] = value;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// False when empty.
  bool Pop(T& value) {
    const size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    value = items_[head % Capacity];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<T, Capacity> items_{};
  alignas(64) std::atomic<size_t> head_{0};
  alignas(64) std::atomic<size_t> tail_{0};
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_SPSC_QUEUE_H_
