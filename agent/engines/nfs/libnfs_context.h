// The parts of libnfs that need care before a context is one thread's own.
#ifndef CREST_AGENT_ENGINES_NFS_LIBNFS_CONTEXT_H_
#define CREST_AGENT_ENGINES_NFS_LIBNFS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "nfsc/libnfs.h"
// After libnfs.h, whose rpc_cb they use.
#include "nfsc/libnfs-raw.h"

namespace crest::nfs {

struct DestroyContext {
  void operator()(rpc_context* rpc) const { rpc_destroy_context(rpc); }
};
/// Destroying it calls back every call in flight with RPC_STATUS_CANCEL.
using Context = std::unique_ptr<rpc_context, DestroyContext>;

/// A context with AUTH_SYS credentials; null when memory is short. Thread-safe.
Context NewContext(uint32_t uid, uint32_t gid);

/// rpc_connect_async to a numeric address: never blocks on a resolver, sends no NULL call. Thread-safe.
int StartConnect(rpc_context* rpc, const std::string& address, uint16_t port, rpc_cb callback, void* data);

/// Sends small calls at once. To be called when the connection stands.
void DisableNagle(rpc_context* rpc);

/// The context's last error; libnfs may have none.
std::string LastError(rpc_context* rpc);

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_LIBNFS_CONTEXT_H_
