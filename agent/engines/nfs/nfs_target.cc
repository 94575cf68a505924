#include "agent/engines/nfs/nfs_target.h"

#include <unistd.h>

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/engine/parameters.h"
#include "base/status.h"
#include "base/units.h"

namespace crest::nfs {
namespace {

constexpr uint32_t kMaxConnections = 64;
constexpr size_t kMaxExportPath = 1024;  // MNTPATHLEN, RFC 1813 §5.1.4

template <typename... Args>
absl::Status Wrong(const Target& target, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat("target ", target.url, ": ", args...));
}

absl::Status ReadNumber(const Target& target, absl::string_view key, uint32_t low, uint32_t high, uint32_t& number) {
  const auto found = target.parameters.find(std::string(key));
  if (found == target.parameters.end()) return absl::OkStatus();
  uint32_t value = 0;
  if (!absl::SimpleAtoi(found->second, &value) || value < low || value > high) {
    return Wrong(target, key, "=", found->second, " must be a number from ", low, " to ", high);
  }
  number = value;
  return absl::OkStatus();
}

absl::Status ReadPort(const Target& target, absl::string_view key, uint16_t& port) {
  uint32_t number = port;
  CREST_RETURN_IF_ERROR(ReadNumber(target, key, 1, std::numeric_limits<uint16_t>::max(), number));
  port = static_cast<uint16_t>(number);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NfsTarget> ReadTarget(const Target& target) {
  if (target.host.empty()) return Wrong(target, "the host is missing; write nfs://HOST/EXPORT");
  if (target.path.empty()) return Wrong(target, "the export is missing; write nfs://", target.host, "/EXPORT");
  if (target.path.size() > kMaxExportPath) {
    return Wrong(target, "the export's path is longer than ", kMaxExportPath, " bytes");
  }
  CREST_RETURN_IF_ERROR(CheckParameterNames(target, {"nfsport", "mountport", "uid", "gid", "connections", "timeout"}));
  if (target.port != 0 && target.parameters.count("nfsport") > 0) {
    return Wrong(target, "the port of NFS is given twice, after the host and as nfsport=");
  }
  NfsTarget nfs;
  nfs.url = target.url;
  nfs.host = target.host;
  nfs.export_path = target.path;
  nfs.nfs_port = target.port;
  nfs.uid = geteuid();
  nfs.gid = getegid();
  constexpr uint32_t kMaxId = std::numeric_limits<int32_t>::max();
  CREST_RETURN_IF_ERROR(ReadPort(target, "nfsport", nfs.nfs_port));
  CREST_RETURN_IF_ERROR(ReadPort(target, "mountport", nfs.mount_port));
  CREST_RETURN_IF_ERROR(ReadNumber(target, "uid", 0, kMaxId, nfs.uid));
  CREST_RETURN_IF_ERROR(ReadNumber(target, "gid", 0, kMaxId, nfs.gid));
  CREST_RETURN_IF_ERROR(ReadNumber(target, "connections", 1, kMaxConnections, nfs.connections));
  if (const auto timeout = target.parameters.find("timeout"); timeout != target.parameters.end()) {
    const absl::StatusOr<absl::Duration> value = ParseDuration(timeout->second);
    if (!value.ok()) return Wrong(target, "timeout: ", value.status().message());
    if (*value < absl::Milliseconds(10) || *value > absl::Hours(1)) {
      return Wrong(target, "timeout=", timeout->second, " must be from 10ms to 1h");
    }
    nfs.timeout = *value;
  }
  return nfs;
}

}  // namespace crest::nfs
