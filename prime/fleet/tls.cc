#include "prime/fleet/tls.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace crest {
namespace {

std::string OfFolder(const char* folder, const char* name) {
  if (folder == nullptr || *folder == '\0') return "";
  return absl::StrCat(folder, "/", name);
}

}  // namespace

absl::StatusOr<TlsFiles> FindTlsFiles(const TlsFiles& flags) {
  TlsFiles files = flags;
  const char* folder = std::getenv("CREST_TLS_DIR");
  if (files.cert.empty()) files.cert = OfFolder(folder, "client.crt");
  if (files.key.empty()) files.key = OfFolder(folder, "client.key");
  if (files.ca.empty()) files.ca = OfFolder(folder, "ca.crt");
  if (files.empty()) return files;
  if (files.cert.empty() || files.key.empty() || files.ca.empty()) {
    return absl::InvalidArgumentError(
        "TLS needs all of --tls-cert, --tls-key and --tls-ca, or $CREST_TLS_DIR with client.crt, client.key and "
        "ca.crt");
  }
  for (const std::string* path : {&files.cert, &files.key, &files.ca}) {
    if (access(path->c_str(), R_OK) != 0) {
      return absl::NotFoundError(absl::StrCat(*path, ": ", std::strerror(errno), "; it is needed for TLS to agents"));
    }
  }
  return files;
}

}  // namespace crest
