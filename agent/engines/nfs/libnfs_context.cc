#include "agent/engines/nfs/libnfs_context.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "absl/base/const_init.h"
#include "absl/synchronization/mutex.h"

namespace crest::nfs {
namespace {

// libnfs 4 keeps the next transaction number and the next privileged port in variables of the whole process.
ABSL_CONST_INIT absl::Mutex library_mutex(absl::kConstInit);

}  // namespace

Context NewContext(uint32_t uid, uint32_t gid) {
  absl::MutexLock lock(&library_mutex);
  Context context(rpc_init_context());
  if (context != nullptr) {
    rpc_set_uid(context.get(), static_cast<int>(uid));
    rpc_set_gid(context.get(), static_cast<int>(gid));
  }
  return context;
}

int StartConnect(rpc_context* rpc, const std::string& address, uint16_t port, rpc_cb callback, void* data) {
  absl::MutexLock lock(&library_mutex);
  return rpc_connect_async(rpc, address.c_str(), port, callback, data);
}

void DisableNagle(rpc_context* rpc) {
  const int on = 1;
  setsockopt(rpc_get_fd(rpc), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

std::string LastError(rpc_context* rpc) {
  const char* error = rpc_get_error(rpc);
  return error == nullptr ? "connection closed" : error;
}

}  // namespace crest::nfs
