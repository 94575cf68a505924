// The streams that wait for their next arrival, the earliest in front.
#ifndef CREST_AGENT_LOAD_DUE_HEAP_H_
#define CREST_AGENT_LOAD_DUE_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crest {

/// A heap of four children a node: flatter than a binary one, so that 100,000 streams cost few cache misses. The order
/// of equal due times hangs on nothing but the streams' numbers. Allocates only in Reserve. Not thread-safe.
class DueHeap {
 public:
  struct Entry {
    int64_t due_ns;
    uint32_t stream;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.due_ns != b.due_ns ? a.due_ns < b.due_ns : a.stream < b.stream;
    }
  };

  void Reserve(size_t streams) { entries_.reserve(streams); }
  void Clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }

  void Push(Entry entry) {
    size_t i = entries_.size();
    entries_.push_back(entry);
    while (i > 0) {
      const size_t parent = (i - 1) / 4;
      if (!(entry < entries_[parent])) break;
      entries_[i] = entries_[parent];
      i = parent;
    }
    entries_[i] = entry;
  }

  void Pop() {
    const Entry moved = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) SiftDown(moved);
  }

  /// Pop and Push in one, for the stream in front.
  void ReplaceTop(Entry entry) { SiftDown(entry); }

 private:
  void SiftDown(Entry entry) {
    const size_t size = entries_.size();
    size_t i = 0;
    for (;;) {
      const size_t first = 4 * i + 1;
      if (first >= size) break;
      const size_t last = first + 4 < size ? first + 4 : size;
      size_t least = first;
      for (size_t child = first + 1; child < last; ++child) {
        if (entries_[child] < entries_[least]) least = child;
      }
      if (!(entries_[least] < entry)) break;
      entries_[i] = entries_[least];
      i = least;
    }
    entries_[i] = entry;
  }

  std::vector<Entry> entries_;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_DUE_HEAP_H_
