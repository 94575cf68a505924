#include "prime/fleet/local_agent.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/status.h"

extern char** environ;

namespace crest {
namespace {

constexpr size_t kLogBytes = 16 << 10;
constexpr absl::Duration kTermTimeout = absl::Seconds(5);
constexpr size_t kUnixPathBytes = 108;  // sizeof(sockaddr_un::sun_path)
constexpr absl::string_view kListening = "listening on";

// A folder that only this user can enter, with a path short enough for a socket in it.
absl::StatusOr<std::string> MakeFolder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const char* const temporary = std::getenv("TMPDIR");
  for (const char* parent : {runtime, temporary, "/tmp"}) {
    if (parent == nullptr || *parent == '\0') continue;
    std::string path = absl::StrCat(parent, "/crest-XXXXXX");
    if (path.size() + sizeof("/agent.sock") > kUnixPathBytes) continue;
    if (mkdtemp(path.data()) != nullptr) return path;  // mode 0700
  }
  return absl::UnavailableError(absl::StrCat(
      "no folder for the agent's socket can be made in $XDG_RUNTIME_DIR, $TMPDIR or /tmp: ", std::strerror(errno),
      "; make one of them writable"));
}

// What posix_spawn is told: owned, and freed in one place.
class SpawnSettings {
 public:
  explicit SpawnSettings(int error_fd) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, error_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, error_fd, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

absl::StatusOr<std::string> FindAgentProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (self.parent_path() / "crest-agent").string();
  if (!error && access(beside.c_str(), X_OK) == 0) return beside;
  const char* const path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty())) {
    std::string candidate = absl::StrCat(folder, "/crest-agent");
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return absl::NotFoundError(absl::StrCat(
      "no crest-agent at ", beside, " nor in $PATH; install it, or name running agents under agents: in the spec"));
}

absl::StatusOr<std::unique_ptr<LocalAgent>> LocalAgent::Start(const std::string& program,
                                                              const std::vector<std::string>& targets,
                                                              absl::Duration timeout) {
  CREST_ASSIGN_OR_RETURN(std::string folder, MakeFolder());
  std::unique_ptr<LocalAgent> agent(new LocalAgent(std::move(folder)));
  CREST_RETURN_IF_ERROR(agent->Spawn(program, targets));
  bool listening = false;
  {
    std::unique_lock lock(agent->mutex_);
    agent->log_changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout),
                                 [&] { return agent->listening_ || agent->log_ended_; });
    listening = agent->listening_;
  }
  if (listening) return agent;
  agent->End();
  return absl::UnavailableError(
      absl::StrCat("the run's own agent (", program, ") did not start; it said:\n", agent->log()));
}

absl::Status LocalAgent::Spawn(const std::string& program, const std::vector<std::string>& targets) {
  std::vector<std::string> words = {program, "--listen", address(), "--metrics", "off", "--exit-with-parent"};
  for (const std::string& target : targets) {
    words.push_back("--allow");
    words.push_back(target);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "a pipe to the run's own agent");
  pid_t pid = -1;
  const SpawnSettings settings(pipe_fds[1]);
  const int error =
      posix_spawn(&pid, program.c_str(), settings.actions(), settings.attributes(), arguments.data(), environ);
  close(pipe_fds[1]);
  if (error != 0) {
    close(pipe_fds[0]);
    return absl::ErrnoToStatus(error, absl::StrCat("the run's own agent ", program, " cannot be started"));
  }
  {
    const std::lock_guard lock(mutex_);
    pid_ = pid;
  }
  reader_ = std::thread([this, fd = pipe_fds[0]] { ReadLog(fd); });
  return absl::OkStatus();
}

void LocalAgent::ReadLog(int fd) {
  char buffer[4096];
  while (true) {
    const ssize_t length = read(fd, buffer, sizeof(buffer));
    if (length < 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    log_changed_.notify_one();
    if (length <= 0) {
      log_ended_ = true;
      break;
    }
    log_.append(buffer, static_cast<size_t>(length));
    listening_ = listening_ || absl::StrContains(log_, kListening);
    if (log_.size() > kLogBytes) log_.erase(0, log_.size() - kLogBytes);
  }
  close(fd);
}

std::string LocalAgent::address() const { return absl::StrCat("unix:", folder_, "/agent.sock"); }

std::string LocalAgent::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

bool LocalAgent::WaitForEnd(absl::Duration timeout) {
  const MonoTime deadline = RealClock().Now() + timeout;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (pid_ < 0) return true;
      const pid_t reaped = waitpid(pid_, nullptr, WNOHANG);
      if (reaped == pid_ || (reaped < 0 && errno == ECHILD)) {
        pid_ = -1;
        return true;
      }
    }
    if (RealClock().Now() >= deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
}

void LocalAgent::End() {
  {
    const std::lock_guard lock(mutex_);
    if (pid_ > 0) kill(pid_, SIGTERM);
  }
  if (!WaitForEnd(kTermTimeout)) {
    Kill();
    WaitForEnd(kTermTimeout);
  }
  if (reader_.joinable()) reader_.join();
  RemoveFolder();
}

void LocalAgent::Kill() {
  {
    const std::lock_guard lock(mutex_);
    if (pid_ > 0) kill(-pid_, SIGKILL);  // its group: whatever it started, too
  }
  RemoveFolder();
}

void LocalAgent::RemoveFolder() const {
  std::error_code ignored;  // a folder that cannot be removed is an empty one in /tmp
  std::filesystem::remove_all(folder_, ignored);
}

LocalAgent::~LocalAgent() { End(); }

}  // namespace crest
