// One call after the other, each waited for: for mounting and checking, never while measuring.
#ifndef CREST_AGENT_ENGINES_NFS_BLOCKING_RPC_H_
#define CREST_AGENT_ENGINES_NFS_BLOCKING_RPC_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/engines/nfs/libnfs_context.h"

namespace crest::nfs {

/// A TCP connection to one RPC service. Not thread-safe.
class BlockingRpc {
 public:
  BlockingRpc(uint32_t uid, uint32_t gid, absl::Time deadline) : context_(NewContext(uid, gid)), deadline_(deadline) {}

  /// `address` is numeric. Unavailable: refused or unreachable, in words; DeadlineExceeded: no answer.
  absl::Status Connect(const std::string& address, uint16_t port);

  /// Starts a call with `start` (one of libnfs's rpc_…_async, its result returned) and hands its reply to `on_reply`.
  /// Unavailable: the connection broke or the RPC layer refused; DeadlineExceeded: no answer.
  absl::Status Call(absl::FunctionRef<int(rpc_context*, rpc_cb, void*)> start,
                    absl::FunctionRef<void(const void*)> on_reply);

 private:
  Context context_;
  absl::Time deadline_;
};

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_BLOCKING_RPC_H_
