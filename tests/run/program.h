// The built programs as child processes of a test.
#ifndef CREST_TESTS_RUN_PROGRAM_H_
#define CREST_TESTS_RUN_PROGRAM_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/servers/ganesha_server.h"

namespace crest {

/// The whole content of a file; empty where there is none.
std::string ReadWholeFile(const std::string& path);

/// How a program ended.
struct Ended {
  int exit_code = -1;  // 128 + the signal that ended it
  std::string out;     // standard output
  std::string err;
};

/// One child process; killed by the destructor, and with the test program. Not thread-safe.
class Program {
 public:
  /// `words`: the program's path and its arguments; `directory`: where it runs, empty for the test's own.
  explicit Program(const std::vector<std::string>& words, const std::string& directory = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  /// What it has written so far.
  std::string out() const { return ReadWholeFile(files_.path() + "/out"); }
  std::string err() const { return ReadWholeFile(files_.path() + "/err"); }
  void Signal(int signal) const;
  /// Waits for `text` on either output.
  bool WaitForText(const std::string& text, absl::Duration bound) const;
  /// Waits for its end; after `bound` it is killed (exit code 137).
  Ended Wait(absl::Duration bound = absl::Seconds(60));

 private:
  TemporaryDirectory files_;
  pid_t pid_ = -1;
};

/// Runs a program to its end.
Ended RunProgram(const std::vector<std::string>& words, const std::string& directory = "");

/// The programs as built.
std::string CrestProgram();
std::string AgentProgram();

/// Calls `condition` every few milliseconds until it is true; false when it is not after `bound`.
template <typename Condition>
bool Eventually(absl::Duration bound, Condition condition) {
  const absl::Time deadline = absl::Now() + bound;
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

}  // namespace crest

#endif  // CREST_TESTS_RUN_PROGRAM_H_
