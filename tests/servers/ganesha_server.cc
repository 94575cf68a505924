#include "tests/servers/ganesha_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr absl::Duration kStartBound = absl::Seconds(20);

// Whether something accepts connections there.
bool Answers(const std::string& address, uint16_t port) {
  const bool v6 = address.find(':') != std::string::npos;
  const int descriptor = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int result = -1;
  if (v6) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(port);
    inet_pton(AF_INET6, address.c_str(), &to.sin6_addr);
    result = connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
  } else {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &to.sin_addr);
    result = connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
  }
  close(descriptor);
  return result == 0;
}

// In the child: never returns.
[[noreturn]] void Execute(const GaneshaServer::Options& options, const std::string& run_directory,
                          const std::string& directory, uint16_t nfs_port, uint16_t mount_port) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int output = open((run_directory + "/ganesha.out").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  setenv("GANESHA_ACCESS", options.read_only ? "RO" : "RW", 1);
  setenv("GANESHA_ADDRESS", options.address.c_str(), 1);
  setenv("GANESHA_SHIM", CREST_NORPCBIND, 1);
  execl("/bin/sh", "sh", CREST_GANESHA_SCRIPT, "run", run_directory.c_str(), std::to_string(nfs_port).c_str(),
        std::to_string(mount_port).c_str(), directory.c_str(), nullptr);
  _exit(127);
}

}  // namespace

uint16_t FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  const bool bound = bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                     getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  close(descriptor);
  return bound ? ntohs(address.sin_port) : uint16_t{0};
}

TemporaryDirectory::TemporaryDirectory() : TemporaryDirectory(std::filesystem::temp_directory_path().string()) {}

TemporaryDirectory::TemporaryDirectory(const std::string& parent) {
  std::error_code none;
  const bool there = std::filesystem::is_directory(parent, none);
  std::string pattern =
      (there ? std::filesystem::path(parent) : std::filesystem::temp_directory_path()) / "crest-test-XXXXXX";
  if (const char* made = mkdtemp(pattern.data()); made != nullptr) path_ = made;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

absl::Status GaneshaServer::Available() {
  if (geteuid() != 0) return absl::FailedPreconditionError("ganesha.nfsd must run as root");
  if (access("/usr/bin/ganesha.nfsd", X_OK) != 0) {
    return absl::FailedPreconditionError("ganesha.nfsd is missing: apt install nfs-ganesha nfs-ganesha-vfs");
  }
  return absl::OkStatus();
}

GaneshaServer::GaneshaServer(const Options& options)
    : options_(options),
      directory_(options.export_directory.empty() ? absl::StrCat(memory_.path(), "/", options.export_name)
                                                  : options.export_directory),
      nfs_port_(FreePort()),
      mount_port_(FreePort()) {}

GaneshaServer::~GaneshaServer() { Kill(); }

absl::StatusOr<std::unique_ptr<GaneshaServer>> GaneshaServer::Start(const Options& options) {
  std::unique_ptr<GaneshaServer> server(new GaneshaServer(options));
  std::error_code error;
  std::filesystem::create_directories(server->directory_, error);
  CREST_RETURN_IF_ERROR(server->Launch());
  return server;
}

std::string GaneshaServer::Url(const std::string& parameters) const {
  const bool v6 = options_.address.find(':') != std::string::npos;
  return absl::StrCat("nfs://", v6 ? absl::StrCat("[", options_.address, "]") : options_.address, directory_,
                      "?nfsport=", nfs_port_, "&mountport=", mount_port_, parameters);
}

absl::Status GaneshaServer::Launch() {
  pid_ = fork();
  if (pid_ < 0) return absl::ResourceExhaustedError("fork failed");
  if (pid_ == 0) Execute(options_, run_directory_.path(), directory_, nfs_port_, mount_port_);
  const absl::Time deadline = absl::Now() + kStartBound;
  while (!Answers(options_.address, nfs_port_) || !Answers(options_.address, mount_port_)) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return absl::UnavailableError(absl::StrCat("ganesha.nfsd ended; see ", run_directory_.path()));
    }
    if (absl::Now() > deadline) {
      Kill();
      return absl::DeadlineExceededError("ganesha.nfsd does not listen");
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
  return absl::OkStatus();
}

void GaneshaServer::End(int signal) {
  if (pid_ <= 0) return;
  kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void GaneshaServer::Stop() { End(SIGTERM); }
void GaneshaServer::Kill() { End(SIGKILL); }

void GaneshaServer::Pause() {
  if (pid_ <= 0) return;
  kill(pid_, SIGSTOP);
  waitpid(pid_, nullptr, WUNTRACED);
}

void GaneshaServer::Resume() {
  if (pid_ > 0) kill(pid_, SIGCONT);
}

absl::Status GaneshaServer::Restart() {
  Kill();
  return Launch();
}

}  // namespace crest
