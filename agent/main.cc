// crest-agent: the load-generating daemon, one per host.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/host/host_info.h"
#include "agent/load/load_session.h"
#include "agent/metrics/agent_metrics.h"
#include "agent/service/agent_service.h"
#include "agent/service/allow_list.h"
#include "agent/service/server.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/version.h"

namespace crest {
namespace {

constexpr int kExitBadCall = 2;
constexpr uint32_t kMaxGenerators = 1024;
constexpr absl::Duration kStopTimeout = absl::Milliseconds(1500);  // to stop load and clean up, of the 2 s in all
constexpr absl::Duration kServerTimeout = absl::Milliseconds(300);

struct Flags {
  std::string listen = "127.0.0.1:7460";
  std::string metrics = "127.0.0.1:9460";
  ServerOptions server;
  std::vector<std::string> allow;
  uint32_t generators = 0;
  LogLevel log_level = LogLevel::kInfo;
  bool exit_with_parent = false;
};

void Declare(CLI::App& app, Flags& flags) {
  app.add_option("--listen", flags.listen,
                 "Address for primes: host:port, [v6]:port or unix:/path; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--metrics", flags.metrics, "Address for Prometheus: ip:port, or off")->capture_default_str();
  app.add_option("--tls-cert", flags.server.tls_cert,
                 "This agent's certificate (PEM); with --tls-key and --tls-ca: mutual TLS");
  app.add_option("--tls-key", flags.server.tls_key, "Its private key (PEM), readable by its owner alone");
  app.add_option("--tls-ca", flags.server.tls_ca, "The authority that signed the primes' certificates (PEM)");
  app.add_flag("--insecure", flags.server.insecure,
               "Listen beyond this host without TLS: anyone who reaches the port can use it");
  app.add_option("--allow", flags.allow,
                 "Target that primes may use, or a prefix of it; repeatable. Without it: only sim and null")
      ->allow_extra_args(false);
  app.add_option("--generators", flags.generators, "Threads that generate load; 0: half the CPUs")
      ->check(CLI::Range(0U, kMaxGenerators))
      ->capture_default_str();
  const std::map<std::string, LogLevel> levels = {{"error", LogLevel::kError},
                                                  {"warning", LogLevel::kWarning},
                                                  {"info", LogLevel::kInfo},
                                                  {"debug", LogLevel::kDebug}};
  app.add_option("--log-level", flags.log_level, "error, warning, info or debug")
      ->transform(CLI::CheckedTransformer(levels));
  app.add_flag("--exit-with-parent", flags.exit_with_parent, "End when the process that started this one has ended");
  app.set_version_flag("--version", absl::StrCat("crest-agent ", kVersion));
}

int Refuse(const absl::Status& status) {
  LogError(status.message());
  return kExitBadCall;
}

// Threads that come later inherit the mask: signals wait for WaitForEnd.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// Until a signal, or until `parent` has ended where it is not 0. Asking is surer than a death signal, which comes when
// the thread that started this process ends, not its process.
void WaitForEnd(const sigset_t& signals, pid_t parent) {
  const timespec tick{.tv_sec = 0, .tv_nsec = 200'000'000};
  while (parent == 0 || getppid() == parent) {
    const int got = parent == 0 ? sigwaitinfo(&signals, nullptr) : sigtimedwait(&signals, nullptr, &tick);
    if (got > 0) return;
  }
}

// A parent that was killed cannot remove the folder that it made for the socket.
void RemoveSocket(const std::string& path, bool with_folder) {
  unlink(path.c_str());
  if (with_folder) rmdir(std::filesystem::path(path).parent_path().c_str());  // refused while anything else is in it
}

int Serve(Flags flags, const sigset_t& signals, pid_t parent) {
  const absl::StatusOr<Address> listen = ParseAddress(flags.listen);
  if (!listen.ok()) return Refuse(absl::InvalidArgumentError(absl::StrCat("--listen ", listen.status().message())));
  flags.server.listen = *listen;
  absl::StatusOr<AllowList> allowed = AllowList::Parse(flags.allow);
  if (!allowed.ok()) return Refuse(allowed.status());

  AgentMetrics metrics;
  const RealClock clock;
  AgentServiceOptions options;
  options.clock = &clock;
  options.observer = &metrics;
  options.allowed = *std::move(allowed);
  options.host = [] { return ReadHostInfo("/"); };
  const LoadOptions load{.generators = flags.generators};
  options.open_load = [load](const v1::OpenSession& open) { return LoadSession::Open(open, load); };
  AgentService service(std::move(options));

  absl::StatusOr<std::unique_ptr<AgentServer>> server = AgentServer::Start(flags.server, &service);
  if (!server.ok()) return Refuse(server.status());
  if (flags.metrics != "off") {
    if (const absl::Status status = metrics.Serve(flags.metrics); !status.ok()) return Refuse(status);
    LogInfo("metrics on port ", metrics.port());
  }
  if (flags.server.insecure && !listen->IsLoopback()) {
    LogWarning("--insecure: anyone who reaches ", (*server)->address().ToString(), " can use this agent");
  }
  std::cout << "listening on " << (*server)->address().ToString() << std::endl;

  WaitForEnd(signals, parent);
  LogInfo("shutting down");
  if (!service.Shutdown(kStopTimeout)) {
    // The load is stopped; what hangs is a call to a target that does not answer.
    LogWarning("a target does not answer: leaving without cleaning up on it");
  }
  (*server)->Shutdown(kServerTimeout);
  if (!listen->unix_path.empty()) RemoveSocket(listen->unix_path, parent != 0);
  // Without destructors: the HTTP library takes 2 s to end its threads, a target that hangs takes for ever.
  std::cout.flush();
  std::_Exit(0);
}

int Main(int argc, char** argv) {
  const pid_t parent = getppid();
  CLI::App app("Generates load for a crest prime, one agent a host.", "crest-agent");
  Flags flags;
  Declare(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitBadCall;
  }
  SetLogLevel(flags.log_level);
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);  // what it has to say, Refuse says better
  const sigset_t signals = BlockSignals();
  const pid_t watched = flags.exit_with_parent ? parent : 0;
  return Serve(std::move(flags), signals, watched);
}

}  // namespace
}  // namespace crest

int main(int argc, char** argv) { return crest::Main(argc, argv); }
