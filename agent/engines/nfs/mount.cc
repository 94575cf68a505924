#include "agent/engines/nfs/mount.h"

#include <netdb.h>
#include <nfsc/libnfs-raw-mount.h>
#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw-portmap.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/engines/nfs/blocking_rpc.h"
#include "agent/engines/nfs/nfs_status.h"
#include "base/status.h"

namespace crest::nfs {
namespace {

constexpr absl::Duration kBound = absl::Seconds(10);
constexpr uint16_t kRpcbindPort = 111;
constexpr size_t kMaxListedExports = 20;

std::string Where(const NfsTarget& target, absl::string_view service, uint16_t port) {
  return absl::StrCat("target ", target.url, ": ", service, " at ", target.host, " port ", port);
}

absl::StatusOr<std::vector<std::string>> Resolve(const NfsTarget& target) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(target.host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat("target ", target.url, ": the name ", target.host, " cannot be resolved: ",
                                            gai_strerror(error), "; check its spelling, or give an address"));
  }
  std::vector<std::string> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text);
    }
  }
  freeaddrinfo(found);
  if (addresses.empty()) {
    return absl::NotFoundError(absl::StrCat("target ", target.url, ": ", target.host, " has no IP address"));
  }
  return addresses;
}

// Runs the steps of one mount at one address of the server.
class Mounting {
 public:
  Mounting(const NfsTarget& target, std::string address, absl::Time deadline)
      : target_(target), address_(std::move(address)), deadline_(deadline) {}

  absl::StatusOr<Mounted> Run() {
    Mounted mounted{.address = address_};
    CREST_ASSIGN_OR_RETURN(const uint16_t mount_port, PortOf("MOUNT", MOUNT_PROGRAM, MOUNT_V3, target_.mount_port));
    CREST_ASSIGN_OR_RETURN(mounted.nfs_port, PortOf("NFS", NFS_PROGRAM, NFS_V3, target_.nfs_port));
    CREST_ASSIGN_OR_RETURN(mounted.root, MountExport(mount_port));
    CREST_RETURN_IF_ERROR(AskTransferSizes(mounted));
    return mounted;
  }

 private:
  absl::Status Failed(absl::string_view service, uint16_t port, const absl::Status& status,
                      absl::string_view advice) const {
    return absl::Status(status.code(), absl::StrCat(Where(target_, service, port), ": ", status.message(),
                                                    advice.empty() ? "" : "; ", advice));
  }

  // `given`, or what rpcbind knows.
  absl::StatusOr<uint16_t> PortOf(absl::string_view service, uint32_t program, uint32_t version, uint16_t given) {
    if (given != 0) return given;
    constexpr absl::string_view kAdvice =
        "rpcbind does not tell the ports; start it or open its port, or give nfsport= and mountport= in the target";
    BlockingRpc rpc(target_.uid, target_.gid, deadline_);
    if (const absl::Status status = rpc.Connect(address_, kRpcbindPort); !status.ok()) {
      return Failed("rpcbind", kRpcbindPort, status, kAdvice);
    }
    uint32_t port = 0;
    const bool v6 = absl::StrContains(address_, ':');
    const absl::Status status =
        v6 ? AskRpcbind6(rpc, program, version, port)
           : rpc.Call(
                 [&](rpc_context* context, rpc_cb callback, void* data) {
                   return rpc_pmap2_getport_async(context, static_cast<int>(program), static_cast<int>(version),
                                                  IPPROTO_TCP, callback, data);
                 },
                 [&](const void* reply) { port = *static_cast<const uint32_t*>(reply); });
    if (!status.ok()) return Failed("rpcbind", kRpcbindPort, status, kAdvice);
    if (port == 0 || port > std::numeric_limits<uint16_t>::max()) {
      return absl::UnavailableError(absl::StrCat("target ", target_.url, ": ", target_.host, " offers no ", service,
                                                 " version ", version, " over TCP; switch NFSv3 on at the server"));
    }
    return static_cast<uint16_t>(port);
  }

  // Version 2 of the protocol knows IPv4 only. The answer is a universal address: "::.8.1" is port 8 × 256 + 1.
  absl::Status AskRpcbind6(BlockingRpc& rpc, uint32_t program, uint32_t version, uint32_t& port) const {
    char netid[] = "tcp6";
    char empty[] = "";
    pmap3_mapping mapping{.prog = program, .vers = version, .netid = netid, .addr = empty, .owner = empty};
    return rpc.Call([&](rpc_context* context, rpc_cb callback,
                        void* data) { return rpc_pmap3_getaddr_async(context, &mapping, callback, data); },
                    [&](const void* reply) {
                      const char* address = static_cast<const pmap3_string_result*>(reply)->addr;
                      const std::vector<std::string> parts = absl::StrSplit(address == nullptr ? "" : address, '.');
                      uint32_t high = 0;
                      uint32_t low = 0;
                      if (parts.size() >= 3 && absl::SimpleAtoi(parts[parts.size() - 2], &high) &&
                          absl::SimpleAtoi(parts.back(), &low) && high < 256 && low < 256) {
                        port = high * 256 + low;
                      }
                    });
  }

  absl::StatusOr<std::string> MountExport(uint16_t port) {
    BlockingRpc rpc(target_.uid, target_.gid, deadline_);
    if (const absl::Status status = rpc.Connect(address_, port); !status.ok()) {
      return Failed("MOUNT", port, status, "check that the server runs and that mountport is right");
    }
    int mount_status = MNT3_OK;
    std::string root;
    std::string path = target_.export_path;
    const absl::Status status =
        rpc.Call([&](rpc_context* context, rpc_cb callback,
                     void* data) { return rpc_mount3_mnt_async(context, callback, path.data(), data); },
                 [&](const void* data) {
                   const auto* reply = static_cast<const mountres3*>(data);
                   mount_status = reply->fhs_status;
                   if (mount_status != MNT3_OK) return;
                   const fhandle3& handle = reply->mountres3_u.mountinfo.fhandle;
                   root.assign(handle.fhandle3_val, handle.fhandle3_len);
                 });
    if (!status.ok()) return Failed("MOUNT", port, status, "");
    if (mount_status != MNT3_OK) return Refusal(rpc, port, mount_status);
    // The handle outlives the entry in the server's list of mounts, which would otherwise stay behind.
    (void)rpc.Call([&](rpc_context* context, rpc_cb callback,
                       void* data) { return rpc_mount3_umnt_async(context, callback, path.data(), data); },
                   [](const void*) {});
    return root;
  }

  absl::Status Refusal(BlockingRpc& rpc, uint16_t port, int mount_status) {
    const std::string where = absl::StrCat(Where(target_, "MOUNT", port), ": export \"", target_.export_path, "\" ");
    switch (mount_status) {
      case MNT3ERR_NOENT:
      case MNT3ERR_NOTDIR:
      case MNT3ERR_NAMETOOLONG:
      case MNT3ERR_INVAL:
        return absl::NotFoundError(absl::StrCat(where, "does not exist; ", Listed(Exports(rpc))));
      case MNT3ERR_ACCES:
      case MNT3ERR_PERM:
        break;
      default:
        return absl::UnavailableError(
            absl::StrCat(where, "cannot be mounted: MNT3 status ", mount_status, "; see the server's log"));
    }
    // Most servers refuse what they do not export as if it were forbidden.
    const std::vector<std::string> exports = Exports(rpc);
    const bool exported = std::any_of(exports.begin(), exports.end(), [&](const std::string& name) {
      return name == "/" || absl::StartsWith(absl::StrCat(target_.export_path, "/"), absl::StrCat(name, "/"));
    });
    if (!exported && !exports.empty()) {
      return absl::NotFoundError(absl::StrCat(where, "does not exist; ", Listed(exports)));
    }
    return absl::PermissionDeniedError(
        absl::StrCat(where,
                     "is not open to this host; add it to the export's clients, allow ports above 1023 there "
                     "(\"insecure\") or run the agent as root, and see whether uid=",
                     target_.uid, " may mount"));
  }

  // Empty, too, where the server does not tell.
  static std::vector<std::string> Exports(BlockingRpc& rpc) {
    std::vector<std::string> names;
    (void)rpc.Call([](rpc_context* context, rpc_cb callback,
                      void* data) { return rpc_mount3_export_async(context, callback, data); },
                   [&](const void* data) {
                     for (const exportnode* node = *static_cast<const exports*>(data); node != nullptr;
                          node = node->ex_next) {
                       names.emplace_back(node->ex_dir);
                     }
                   });
    return names;
  }

  static std::string Listed(std::vector<std::string> names) {
    if (names.empty()) return "the server lists no exports";
    const bool many = names.size() > kMaxListedExports;
    if (many) names.resize(kMaxListedExports);
    return absl::StrCat("the server exports ", absl::StrJoin(names, ", "), many ? ", …" : "");
  }

  absl::Status AskTransferSizes(Mounted& mounted) {
    BlockingRpc rpc(target_.uid, target_.gid, deadline_);
    if (const absl::Status status = rpc.Connect(address_, mounted.nfs_port); !status.ok()) {
      return Failed("NFS", mounted.nfs_port, status, "check that nfsd runs and that nfsport is right");
    }
    FSINFO3args args{};
    args.fsroot.data = {static_cast<u_int>(mounted.root.size()), mounted.root.data()};
    int nfs_status = NFS3_OK;
    const absl::Status status =
        rpc.Call([&](rpc_context* context, rpc_cb callback,
                     void* data) { return rpc_nfs3_fsinfo_async(context, callback, &args, data); },
                 [&](const void* data) {
                   const auto* reply = static_cast<const FSINFO3res*>(data);
                   nfs_status = reply->status;
                   if (nfs_status != NFS3_OK) return;
                   mounted.read_max = reply->FSINFO3res_u.resok.rtmax;
                   mounted.write_max = reply->FSINFO3res_u.resok.wtmax;
                 });
    if (!status.ok()) return Failed("NFS", mounted.nfs_port, status, "");
    if (nfs_status != NFS3_OK) {
      const Outcome outcome = OutcomeOfStatus(nfs_status);
      return Failed("NFS", mounted.nfs_port,
                    absl::UnavailableError(absl::StrCat("FSINFO failed with ", NfsErrorName(outcome))),
                    Advice(outcome));
    }
    if (mounted.read_max == 0 || mounted.write_max == 0) {
      return Failed("NFS", mounted.nfs_port, absl::UnavailableError("FSINFO allows transfers of 0 bytes"), "");
    }
    return absl::OkStatus();
  }

  const NfsTarget& target_;
  std::string address_;
  absl::Time deadline_;
};

// Whether a SETATTR that sets nothing is answered with NFS3ERR_ROFS, which ACCESS cannot tell.
bool IsReadOnly(BlockingRpc& rpc, nfs_fh3 root) {
  SETATTR3args args{};
  args.object = root;
  int nfs_status = NFS3_OK;
  const absl::Status status =
      rpc.Call([&](rpc_context* context, rpc_cb callback,
                   void* data) { return rpc_nfs3_setattr_async(context, callback, &args, data); },
               [&](const void* data) { nfs_status = static_cast<const SETATTR3res*>(data)->status; });
  return status.ok() && nfs_status == NFS3ERR_ROFS;
}

}  // namespace

absl::StatusOr<Mounted> Mount(const NfsTarget& target) {
  CREST_ASSIGN_OR_RETURN(const std::vector<std::string> addresses, Resolve(target));
  absl::Status first_error;
  for (const std::string& address : addresses) {
    absl::StatusOr<Mounted> mounted = Mounting(target, address, absl::Now() + kBound).Run();
    if (mounted.ok()) return mounted;
    if (first_error.ok()) first_error = mounted.status();
    // Another address of the same server helps against a dead path only.
    if (!absl::IsUnavailable(mounted.status()) && !absl::IsDeadlineExceeded(mounted.status())) break;
  }
  return first_error;
}

absl::StatusOr<FileSystemSpace> CheckWritable(const NfsTarget& target, const Mounted& mounted) {
  const std::string where = Where(target, "NFS", mounted.nfs_port);
  BlockingRpc rpc(target.uid, target.gid, absl::Now() + kBound);
  if (const absl::Status status = rpc.Connect(mounted.address, mounted.nfs_port); !status.ok()) {
    return Annotate(status, where);
  }
  std::string root_bytes = mounted.root;
  nfs_fh3 root{};
  root.data = {static_cast<u_int>(root_bytes.size()), root_bytes.data()};

  FSSTAT3args stat_args{};
  stat_args.fsroot = root;
  FileSystemSpace space;
  int nfs_status = NFS3_OK;
  absl::Status status = rpc.Call([&](rpc_context* context, rpc_cb callback,
                                     void* data) { return rpc_nfs3_fsstat_async(context, callback, &stat_args, data); },
                                 [&](const void* data) {
                                   const auto* reply = static_cast<const FSSTAT3res*>(data);
                                   nfs_status = reply->status;
                                   if (nfs_status != NFS3_OK) return;
                                   const FSSTAT3resok& ok = reply->FSSTAT3res_u.resok;
                                   space.free_bytes = static_cast<double>(ok.abytes);
                                   if (ok.obj_attributes.attributes_follow)
                                     space.fsid = ok.obj_attributes.post_op_attr_u.attributes.fsid;
                                 });
  if (!status.ok()) return Annotate(status, where);
  if (nfs_status != NFS3_OK) {
    const Outcome outcome = OutcomeOfStatus(nfs_status);
    return absl::UnavailableError(absl::StrCat(where, ": FSSTAT failed with ", NfsErrorName(outcome)));
  }

  constexpr u_int kWrite = ACCESS3_MODIFY | ACCESS3_EXTEND;
  ACCESS3args access_args{};
  access_args.object = root;
  access_args.access = kWrite;
  u_int granted = 0;
  status = rpc.Call([&](rpc_context* context, rpc_cb callback,
                        void* data) { return rpc_nfs3_access_async(context, callback, &access_args, data); },
                    [&](const void* data) {
                      const auto* reply = static_cast<const ACCESS3res*>(data);
                      if (reply->status == NFS3_OK) granted = reply->ACCESS3res_u.resok.access;
                    });
  if (!status.ok()) return Annotate(status, where);
  if ((granted & kWrite) == kWrite) return space;
  if (IsReadOnly(rpc, root)) {
    return absl::FailedPreconditionError(
        absl::StrCat(where, ": export \"", target.export_path, "\" is read-only; ", Advice(kReadOnly)));
  }
  return absl::PermissionDeniedError(absl::StrCat(where, ": user ", target.uid, " may not write to export \"",
                                                  target.export_path, "\"; ", Advice(kPermissionDenied)));
}

}  // namespace crest::nfs
