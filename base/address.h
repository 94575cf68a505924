// Addresses of agents: name:port, [v6]:port, unix:/path, and ranges of names.
#ifndef CREST_BASE_ADDRESS_H_
#define CREST_BASE_ADDRESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

inline constexpr uint16_t kDefaultAgentPort = 7460;

/// Either a host and a port, or a Unix socket's path.
struct Address {
  std::string host;  // without brackets; empty for a Unix socket
  uint16_t port = 0;
  std::string unix_path;  // not empty: a Unix socket

  /// As gRPC dials it: "host:port", "[v6]:port", "unix:/path".
  std::string ToString() const;
  /// Of this host alone: a Unix socket, 127.0.0.0/8, ::1 or "localhost".
  bool IsLoopback() const;
  friend bool operator==(const Address&, const Address&) = default;
};

/// A missing port is `default_port`. "v6:addr" without brackets and ports outside 1 to 65535 are refused
/// (port 0 is accepted: a listener's "any free port").
absl::StatusOr<Address> ParseAddress(absl::string_view text, uint16_t default_port = kDefaultAgentPort);

/// "client[01-64]:7460" → client01:7460 … client64:7460, zeros kept; "[1,4,7-9]" lists work; several brackets multiply.
/// "[v6]:port" is an address, not a range. "client{1...10}" is refused with the right spelling. At most 10,000.
absl::StatusOr<std::vector<std::string>> ExpandRange(absl::string_view text);

}  // namespace crest

#endif  // CREST_BASE_ADDRESS_H_
