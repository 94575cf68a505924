#include "agent/engines/nfs/nfs_status.h"

#include <nfsc/libnfs-raw-nfs.h>

#include "absl/strings/match.h"

namespace crest::nfs {
namespace {

struct NamedStatus {
  int status;
  Outcome outcome;
  absl::string_view name;
};

constexpr Outcome Own(int index) { return static_cast<Outcome>(kFirstNfsOutcome + index); }

constexpr Outcome kUnknownStatus = Own(0);
constexpr Outcome kNotOwner = Own(1);
constexpr Outcome kOverQuota = Own(2);

constexpr NamedStatus kStatuses[] = {
    {NFS3ERR_NOENT, kNotFound, "NFS3ERR_NOENT"},
    {NFS3ERR_EXIST, kAlreadyExists, "NFS3ERR_EXIST"},
    {NFS3ERR_NOSPC, kNoSpace, "NFS3ERR_NOSPC"},
    {NFS3ERR_ROFS, kReadOnly, "NFS3ERR_ROFS"},
    {NFS3ERR_ACCES, kPermissionDenied, "NFS3ERR_ACCES"},
    {NFS3ERR_PERM, kNotOwner, "NFS3ERR_PERM"},
    {NFS3ERR_DQUOT, kOverQuota, "NFS3ERR_DQUOT"},
    {NFS3ERR_IO, Own(3), "NFS3ERR_IO"},
    {NFS3ERR_NXIO, Own(4), "NFS3ERR_NXIO"},
    {NFS3ERR_XDEV, Own(5), "NFS3ERR_XDEV"},
    {NFS3ERR_NODEV, Own(6), "NFS3ERR_NODEV"},
    {NFS3ERR_NOTDIR, Own(7), "NFS3ERR_NOTDIR"},
    {NFS3ERR_ISDIR, Own(8), "NFS3ERR_ISDIR"},
    {NFS3ERR_INVAL, Own(9), "NFS3ERR_INVAL"},
    {NFS3ERR_FBIG, Own(10), "NFS3ERR_FBIG"},
    {NFS3ERR_MLINK, Own(11), "NFS3ERR_MLINK"},
    {NFS3ERR_NAMETOOLONG, Own(12), "NFS3ERR_NAMETOOLONG"},
    {NFS3ERR_NOTEMPTY, Own(13), "NFS3ERR_NOTEMPTY"},
    {NFS3ERR_STALE, Own(14), "NFS3ERR_STALE"},
    {NFS3ERR_REMOTE, Own(15), "NFS3ERR_REMOTE"},
    {NFS3ERR_BADHANDLE, Own(16), "NFS3ERR_BADHANDLE"},
    {NFS3ERR_NOT_SYNC, Own(17), "NFS3ERR_NOT_SYNC"},
    {NFS3ERR_BAD_COOKIE, Own(18), "NFS3ERR_BAD_COOKIE"},
    {NFS3ERR_NOTSUPP, Own(19), "NFS3ERR_NOTSUPP"},
    {NFS3ERR_TOOSMALL, Own(20), "NFS3ERR_TOOSMALL"},
    {NFS3ERR_SERVERFAULT, Own(21), "NFS3ERR_SERVERFAULT"},
    {NFS3ERR_BADTYPE, Own(22), "NFS3ERR_BADTYPE"},
    {NFS3ERR_JUKEBOX, Own(23), "NFS3ERR_JUKEBOX"},
};

}  // namespace

Outcome OutcomeOfStatus(int status) {
  if (status == NFS3_OK) return kOk;
  for (const NamedStatus& named : kStatuses) {
    if (named.status == status) return named.outcome;
  }
  return kUnknownStatus;
}

Outcome OutcomeOfRpcError(const char* message) {
  const absl::string_view text = message == nullptr ? "" : message;
  if (absl::StrContains(text, "Program not available")) return kRpcProgUnavail;
  if (absl::StrContains(text, "version mismatch")) return kRpcProgMismatch;
  if (absl::StrContains(text, "Procedure not available")) return kRpcProcUnavail;
  if (absl::StrContains(text, "Garbage arguments")) return kRpcGarbageArgs;
  if (absl::StrContains(text, "System Error")) return kRpcSystemErr;
  if (absl::StrContains(text, "not accepted")) return kRpcDenied;
  return kConnectionLost;
}

absl::string_view NfsErrorName(Outcome outcome) {
  switch (outcome) {
    case kRpcProgUnavail:
      return "RPC_PROG_UNAVAIL";
    case kRpcProgMismatch:
      return "RPC_PROG_MISMATCH";
    case kRpcProcUnavail:
      return "RPC_PROC_UNAVAIL";
    case kRpcGarbageArgs:
      return "RPC_GARBAGE_ARGS";
    case kRpcSystemErr:
      return "RPC_SYSTEM_ERR";
    case kRpcDenied:
      return "RPC_DENIED";
    case kUnknownStatus:
      return "NFS3ERR_UNKNOWN";
    default:
      for (const NamedStatus& named : kStatuses) {
        if (named.outcome == outcome) return named.name;
      }
      return "";
  }
}

absl::string_view Advice(Outcome outcome) {
  switch (outcome) {
    case kTimedOut:
      return "the server did not answer in time; see whether it hangs, or raise timeout= in the target";
    case kConnectionLost:
      return "the server closed the connection or went away; see its log";
    case kNoSpace:
      return "the file system is full; free some space, or lower file_set.bytes_per_op_rate";
    case kOverQuota:
      return "the quota is used up; raise it, or lower file_set.bytes_per_op_rate";
    case kReadOnly:
      return "the export is read-only; export it read-write";
    case kPermissionDenied:
    case kNotOwner:
      return "the server refuses this user; set uid= and gid= in the target, or export without root squash";
    case kRpcDenied:
      return "the server refuses AUTH_SYS or this user; allow sec=sys for the export";
    case kRpcProgUnavail:
    case kRpcProgMismatch:
      return "the server does not offer NFSv3 on this port; switch it on, or set nfsport= in the target";
    default:
      return "";
  }
}

}  // namespace crest::nfs
