// The files that prime proves itself to agents with, and checks them by.
#ifndef CREST_PRIME_FLEET_TLS_H_
#define CREST_PRIME_FLEET_TLS_H_

#include <string>

#include "absl/status/statusor.h"

namespace crest {

/// Paths of PEM files. All set: mutual TLS with every agent but those on Unix sockets. None set: plain connections,
/// which agents beyond loopback take only when started with --insecure.
struct TlsFiles {
  std::string cert;
  std::string key;
  std::string ca;

  bool empty() const { return cert.empty() && key.empty() && ca.empty(); }
};

/// What the flags say, each file not given taken from $CREST_TLS_DIR (client.crt, client.key, ca.crt) where that is
/// set. InvalidArgument when only some of the three are known; NotFound names a file that cannot be read.
absl::StatusOr<TlsFiles> FindTlsFiles(const TlsFiles& flags);

}  // namespace crest

#endif  // CREST_PRIME_FLEET_TLS_H_
