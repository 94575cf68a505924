#include "prime/fleet/dial.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/address.h"
#include "base/status.h"
#include "base/units.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace crest {
namespace {

// An interval report with full histograms of every operation stays well below this.
constexpr int kMaxMessageBytes = 64 << 20;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read; check the path and its permissions"));
  }
  return text.str();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const Address& address, const TlsFiles& tls) {
  if (tls.empty() || !address.unix_path.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  CREST_ASSIGN_OR_RETURN(options.pem_root_certs, ReadFile(tls.ca));
  CREST_ASSIGN_OR_RETURN(options.pem_private_key, ReadFile(tls.key));
  CREST_ASSIGN_OR_RETURN(options.pem_cert_chain, ReadFile(tls.cert));
  return grpc::SslCredentials(options);
}

absl::Status ExplainUnavailable(const std::string& name, const std::string& raw) {
  const std::string text = absl::AsciiStrToLower(raw);
  const auto unavailable = [&](absl::string_view what) {
    return absl::UnavailableError(absl::StrCat(name, ": ", what, " (", raw, ")"));
  };
  if (absl::StrContains(text, "dns resolution failed") || absl::StrContains(text, "address family not supported")) {
    return unavailable("the name cannot be resolved; check its spelling, DNS and /etc/hosts");
  }
  if (absl::StrContains(text, "handshake") || absl::StrContains(text, "ssl") || absl::StrContains(text, "tls")) {
    return unavailable(
        "TLS was refused; both certificates must come from the same CA, the agent's must carry the name or address "
        "that "
        "is dialled, and the agent must have been started with --tls-cert, --tls-key and --tls-ca");
  }
  if (absl::StrContains(text, "refused") || absl::StrContains(text, "no such file")) {
    return unavailable("nothing listens there; start crest-agent on that host and check its --listen");
  }
  if (absl::StrContains(text, "socket closed") || absl::StrContains(text, "connection reset") ||
      absl::StrContains(text, "broken pipe") || absl::StrContains(text, "goaway")) {
    return unavailable(
        "the connection broke; the agent ended, or it asks for TLS (--tls-cert, --tls-key, --tls-ca or "
        "$CREST_TLS_DIR)");
  }
  return unavailable("cannot be reached; check that crest-agent runs there, the network and the firewall");
}

}  // namespace

const std::string& NameOf(const AgentEndpoint& agent) { return agent.name.empty() ? agent.address : agent.name; }

absl::StatusOr<std::unique_ptr<v1::Agent::Stub>> Dial(const AgentEndpoint& agent, const TlsFiles& tls) {
  CREST_ASSIGN_OR_RETURN(const Address address, ParseAddress(agent.address));
  CREST_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ChannelCredentials> credentials, Credentials(address, tls));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  // Agents are in the lab; a web proxy from the environment is not the way to them.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return v1::Agent::NewStub(grpc::CreateCustomChannel(address.ToString(), credentials, arguments));
}

absl::Status ExplainRpc(const std::string& name, const grpc::Status& status, absl::Duration bound) {
  const std::string& text = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return absl::OkStatus();
    case grpc::StatusCode::UNAVAILABLE:
      return ExplainUnavailable(name, text);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::DeadlineExceededError(absl::StrCat(name, ": no answer within ", crest::FormatDuration(bound),
                                                      "; check that the host is up, the network and the firewall"));
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnimplementedError(absl::StrCat(
          name,
          ": what listens there is no crest-agent of this version; install the same version of crest on all hosts"));
    case grpc::StatusCode::CANCELLED:
      return absl::UnavailableError(absl::StrCat(name, ": the session was cancelled"));
    default:
      return absl::Status(static_cast<absl::StatusCode>(status.error_code()), absl::StrCat(name, ": ", text));
  }
}

}  // namespace crest
