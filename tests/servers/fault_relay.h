// Stands before an NFS server and answers chosen calls itself: with errors that no healthy server makes.
#ifndef CREST_TESTS_SERVERS_FAULT_RELAY_H_
#define CREST_TESTS_SERVERS_FAULT_RELAY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace crest {

/// A TCP relay on 127.0.0.1 with a thread of its own, ended by the destructor. Thread-safe.
class FaultRelay {
 public:
  /// What to answer a call of NFSv3 procedure `procedure` with: the bytes of an RPC reply behind its xid (see below),
  /// an empty string for no answer at all, or nullopt to let the server answer. Called on the relay's thread.
  using Script = std::function<std::optional<std::string>(uint32_t procedure)>;

  explicit FaultRelay(uint16_t server_port);
  ~FaultRelay();
  FaultRelay(const FaultRelay&) = delete;
  FaultRelay& operator=(const FaultRelay&) = delete;

  uint16_t port() const { return port_; }
  void SetScript(Script script);
  /// Calls seen so far, by procedure: what a capture would count.
  std::vector<int64_t> Seen() const;

  // Replies (RFC 5531 §9), XDR.
  static std::string Accepted(const std::vector<uint32_t>& words);  // SUCCESS, then the procedure's result
  static std::string Refused(uint32_t accept_stat);                 // PROG_UNAVAIL = 1 …
  static std::string Denied();                                      // AUTH_ERROR

 private:
  struct Pair {
    int client;
    int server;
    std::string bytes;  // from the client, not yet a whole record
  };

  void Run();
  void Accept();
  bool Forward(Pair& pair);
  bool Handle(Pair& pair, const std::string& record);

  uint16_t server_port_;
  uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stop_ = false;
  std::vector<Pair> pairs_;
  mutable absl::Mutex mutex_;
  Script script_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> seen_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace crest

#endif  // CREST_TESTS_SERVERS_FAULT_RELAY_H_
