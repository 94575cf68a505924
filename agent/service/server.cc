#include "agent/service/server.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agent/service/message_check.h"
#include "base/status.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"

namespace crest {
namespace {

constexpr int kMaxStreamsPerConnection = 100;

class Socket {
 public:
  explicit Socket(int family) : fd_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

absl::StatusOr<std::string> ReadPem(absl::string_view flag, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return absl::NotFoundError(
        absl::StrCat(flag, " ", path, ": cannot be read; give a PEM file that this user may read"));
  }
  return text.str();
}

absl::Status CheckKeyIsPrivate(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return absl::NotFoundError(absl::StrCat("--tls-key ", path, ": ", std::strerror(errno)));
  if ((info.st_mode & 077) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("--tls-key ", path, ": others than its owner have access to the key; run chmod 600 ", path));
}

absl::Status InUse(const Address& address) {
  return absl::AlreadyExistsError(
      absl::StrCat("--listen ", address.ToString(),
                   ": in use, perhaps by another crest-agent; end that one or choose another address"));
}

// Removes the file of a socket that nobody listens on.
absl::Status ClearStaleSocket(const Address& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.unix_path.size() >= sizeof(name.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("--listen ", address.ToString(), ": a socket's path has at most ",
                                                   sizeof(name.sun_path) - 1, " bytes"));
  }
  struct stat info {};
  if (lstat(address.unix_path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(
        absl::StrCat("--listen ", address.ToString(), ": there is a file of that name, and it is no socket"));
  }
  address.unix_path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const Socket probe(AF_UNIX);
  if (connect(probe.fd(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) return InUse(address);
  if (errno == ECONNREFUSED) unlink(address.unix_path.c_str());
  return absl::OkStatus();
}

// gRPC does not say why it cannot listen: binding once more does.
absl::Status WhyNot(const Address& address) {
  if (!address.unix_path.empty()) {
    return absl::UnavailableError(absl::StrCat("--listen ", address.ToString(),
                                               ": the socket cannot be made; its folder must exist and be writable"));
  }
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(address.port);
  if (const int error = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return absl::InvalidArgumentError(absl::StrCat("--listen ", address.ToString(), ": ", gai_strerror(error)));
  }
  const Socket probe(found->ai_family);
  const int bound = bind(probe.fd(), found->ai_addr, found->ai_addrlen);
  const int error = bound == 0 ? EADDRINUSE : errno;
  freeaddrinfo(found);
  if (error == EADDRINUSE) return InUse(address);
  return absl::UnavailableError(absl::StrCat("--listen ", address.ToString(), ": ", std::strerror(error),
                                             "; choose an address of this host and a port that this user may take"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const ServerOptions& options) {
  const int given = !options.tls_cert.empty() + !options.tls_key.empty() + !options.tls_ca.empty();
  if (given == 0) {
    if (options.listen.IsLoopback() || options.insecure) return grpc::InsecureServerCredentials();
    return absl::FailedPreconditionError(
        absl::StrCat("--listen ", options.listen.ToString(),
                     ": beyond this host an agent takes orders over mutual TLS only: give --tls-cert, --tls-key and "
                     "--tls-ca (or, in a network where everybody may use this host's targets, --insecure)"));
  }
  if (given != 3) return absl::InvalidArgumentError("mutual TLS needs all three of --tls-cert, --tls-key and --tls-ca");
  CREST_RETURN_IF_ERROR(CheckKeyIsPrivate(options.tls_key));
  grpc::SslServerCredentialsOptions ssl(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  CREST_ASSIGN_OR_RETURN(std::string key, ReadPem("--tls-key", options.tls_key));
  CREST_ASSIGN_OR_RETURN(std::string cert, ReadPem("--tls-cert", options.tls_cert));
  CREST_ASSIGN_OR_RETURN(ssl.pem_root_certs, ReadPem("--tls-ca", options.tls_ca));
  ssl.pem_key_cert_pairs.push_back({std::move(key), std::move(cert)});
  return grpc::SslServerCredentials(ssl);
}

absl::StatusOr<std::unique_ptr<AgentServer>> AgentServer::Start(const ServerOptions& options, grpc::Service* service) {
  CREST_ASSIGN_OR_RETURN(std::shared_ptr<grpc::ServerCredentials> credentials, MakeServerCredentials(options));
  const bool is_unix = !options.listen.unix_path.empty();
  if (is_unix) CREST_RETURN_IF_ERROR(ClearStaleSocket(options.listen));

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  // Without this, two agents share one port and each gets some of the primes.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.RegisterService(service);
  int port = 0;
  builder.AddListeningPort(options.listen.ToString(), std::move(credentials), &port);
  const mode_t mask = is_unix ? umask(0177) : 0;
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (is_unix) umask(mask);
  if (server == nullptr || (!is_unix && port == 0)) return WhyNot(options.listen);
  Address address = options.listen;
  if (!is_unix) address.port = static_cast<uint16_t>(port);
  return std::unique_ptr<AgentServer>(new AgentServer(std::move(server), std::move(address)));
}

AgentServer::AgentServer(std::unique_ptr<grpc::Server> server, Address address)
    : server_(std::move(server)), address_(std::move(address)) {}

void AgentServer::Shutdown(absl::Duration timeout) { server_->Shutdown(absl::ToChronoTime(absl::Now() + timeout)); }

AgentServer::~AgentServer() {
  Shutdown(absl::ZeroDuration());
  if (!address_.unix_path.empty()) unlink(address_.unix_path.c_str());
}

}  // namespace crest
