#include "tests/run/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"

namespace crest {
namespace {

// In the child: never returns.
[[noreturn]] void Execute(const std::vector<std::string>& words, const std::string& directory,
                          const std::string& files) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open((files + "/out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = open((files + "/err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const bool redirected = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0;
  if (!redirected || (!directory.empty() && chdir(directory.c_str()) != 0)) _exit(126);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Program::Program(const std::vector<std::string>& words, const std::string& directory) {
  pid_ = fork();
  if (pid_ == 0) Execute(words, directory, files_.path());
}

Program::~Program() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

bool Program::WaitForText(const std::string& text, absl::Duration bound) const {
  return Eventually(bound, [&] { return absl::StrContains(err(), text) || absl::StrContains(out(), text); });
}

Ended Program::Wait(absl::Duration bound) {
  int status = 0;
  if (!Eventually(bound, [&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), .out = out(), .err = err()};
}

Ended RunProgram(const std::vector<std::string>& words, const std::string& directory) {
  return Program(words, directory).Wait();
}

std::string CrestProgram() { return CREST_PROGRAM; }
std::string AgentProgram() { return CREST_AGENT_PROGRAM; }

}  // namespace crest
