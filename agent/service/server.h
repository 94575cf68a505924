// The agent's gRPC port: where it listens and whom it trusts.
#ifndef CREST_AGENT_SERVICE_SERVER_H_
#define CREST_AGENT_SERVICE_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/address.h"
#include "crest/v1/agent.grpc.pb.h"
#include "grpcpp/grpcpp.h"

namespace crest {

struct ServerOptions {
  Address listen;  // port 0: any free one
  // PEM files; all three or none. With them both sides prove themselves (TLS 1.2 or later).
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;
  bool insecure = false;  // beyond loopback without TLS
};

/// Credentials for `options`. FailedPrecondition beyond loopback with neither TLS nor `insecure`; InvalidArgument when
/// only some of the files are given; PermissionDenied for a key that others can read; NotFound for a file that cannot
/// be read.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const ServerOptions& options);

/// A running server with the health and reflection services beside `service`. Thread-safe.
class AgentServer {
 public:
  /// Listens. AlreadyExists when the port or the socket is in use. A socket's file that nobody listens on is replaced;
  /// a socket is of its user alone (0600). `service` outlives the server.
  static absl::StatusOr<std::unique_ptr<AgentServer>> Start(const ServerOptions& options, grpc::Service* service);
  ~AgentServer();

  /// With the port that was taken.
  const Address& address() const { return address_; }

  /// Ends what still runs at `timeout` at the latest.
  void Shutdown(absl::Duration timeout);

 private:
  AgentServer(std::unique_ptr<grpc::Server> server, Address address);

  std::unique_ptr<grpc::Server> server_;
  const Address address_;
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_SERVER_H_
