// The agent that a run starts for itself where its spec names none.
#ifndef CREST_PRIME_FLEET_LOCAL_AGENT_H_
#define CREST_PRIME_FLEET_LOCAL_AGENT_H_

#include <sys/types.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace crest {

/// crest-agent beside the running program, else the first of $PATH. NotFound says where it was looked for.
absl::StatusOr<std::string> FindAgentProgram();

/// A child process that listens on a Unix socket in a folder of its own (0700), allowed to touch `targets` alone. In a
/// process group of its own: a Ctrl-C in the terminal is prime's to pass on. Dies with prime.
class LocalAgent {
 public:
  /// Starts it and waits until it listens. What it said is in the error otherwise.
  static absl::StatusOr<std::unique_ptr<LocalAgent>> Start(const std::string& program,
                                                           const std::vector<std::string>& targets,
                                                           absl::Duration timeout = absl::Seconds(10));
  /// Ends it.
  ~LocalAgent();
  LocalAgent(const LocalAgent&) = delete;
  LocalAgent& operator=(const LocalAgent&) = delete;

  /// "unix:/tmp/crest-x7f3k2/agent.sock"
  std::string address() const;

  /// The end of what it wrote to standard error.
  std::string log() const;

  /// SIGTERM, a bounded wait, SIGKILL; then the folder is removed. Only the first call does it. Thread-safe.
  void End();
  /// SIGKILL and the folder removed at once. Thread-safe; for a program that is about to exit.
  void Kill();

 private:
  explicit LocalAgent(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Spawn(const std::string& program, const std::vector<std::string>& targets);
  void ReadLog(int fd);
  bool WaitForEnd(absl::Duration timeout);
  void RemoveFolder() const;

  const std::string folder_;
  std::thread reader_;        // so that the agent never blocks on a full pipe
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable log_changed_;
  pid_t pid_ = -1;  // -1: not started, or reaped
  std::string log_;
  bool listening_ = false;
  bool log_ended_ = false;
};

}  // namespace crest

#endif  // CREST_PRIME_FLEET_LOCAL_AGENT_H_
