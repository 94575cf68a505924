// What NFSv3 and ONC RPC call their failures, and how they are counted.
#ifndef CREST_AGENT_ENGINES_NFS_NFS_STATUS_H_
#define CREST_AGENT_ENGINES_NFS_NFS_STATUS_H_

#include "absl/strings/string_view.h"
#include "agent/engine/engine.h"

namespace crest::nfs {

/// Failures below NFS: the server answered, but its RPC layer refused the call (RFC 5531 §9).
enum RpcOutcome : Outcome {
  kRpcProgUnavail = kFirstOwnOutcome,
  kRpcProgMismatch,
  kRpcProcUnavail,
  kRpcGarbageArgs,
  kRpcSystemErr,
  kRpcDenied,  // MSG_DENIED: the credentials or the RPC version
  kFirstNfsOutcome,
};

/// The outcome of an nfsstat3 (RFC 1813 §2.6): common where there is a common one, but each status keeps a name of its
/// own. NFS3_OK is kOk.
Outcome OutcomeOfStatus(int nfsstat3);

/// The outcome of a call that libnfs ended with RPC_STATUS_ERROR and `message`, which may be null. kConnectionLost
/// where the message is not one of the RPC layer's refusals.
Outcome OutcomeOfRpcError(const char* message);

/// "NFS3ERR_NOENT", "RPC_PROG_UNAVAIL"; empty for outcomes that are neither.
absl::string_view NfsErrorName(Outcome outcome);

/// What a user can do about it; empty where there is nothing to say.
absl::string_view Advice(Outcome outcome);

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_NFS_STATUS_H_
