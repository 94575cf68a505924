#include "agent/engines/nfs/blocking_rpc.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "agent/engines/nfs/nfs_status.h"
#include "base/status.h"

namespace crest::nfs {
namespace {

// A call that is waited for. Lives on the waiter's stack; the context is destroyed before a callback could outlive it.
struct Wait {
  bool done = false;
  absl::Status status;
  absl::FunctionRef<void(const void*)> on_reply;
};

void OnDone(rpc_context* rpc, int status, void* data, void* private_data) {
  auto* wait = static_cast<Wait*>(private_data);
  wait->done = true;
  if (status == RPC_STATUS_SUCCESS) {
    wait->on_reply(data);
    return;
  }
  const char* message = status == RPC_STATUS_ERROR ? static_cast<const char*>(data) : nullptr;
  const Outcome outcome = OutcomeOfRpcError(message);
  if (outcome == kConnectionLost) {
    wait->status = absl::UnavailableError(message == nullptr ? LastError(rpc) : message);
  } else {
    wait->status = absl::UnavailableError(absl::StrCat(NfsErrorName(outcome), "; ", Advice(outcome)));
  }
}

// libnfs says "POLLHUP" of a refused connection: the socket knows better.
absl::Status SocketError(int descriptor) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error == 0) return absl::OkStatus();
  return absl::UnavailableError(std::strerror(error));
}

absl::Status RunUntilDone(rpc_context* rpc, const Wait& wait, absl::Time deadline) {
  while (!wait.done) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("no answer");
    pollfd ready{.fd = rpc_get_fd(rpc), .events = static_cast<short>(rpc_which_events(rpc)), .revents = 0};
    const int milliseconds = static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, 1000));
    if (poll(&ready, 1, milliseconds) <= 0) continue;
    if ((ready.revents & (POLLERR | POLLHUP)) != 0) CREST_RETURN_IF_ERROR(SocketError(ready.fd));
    if (rpc_service(rpc, ready.revents) != 0 && !wait.done) return absl::UnavailableError(LastError(rpc));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BlockingRpc::Connect(const std::string& address, uint16_t port) {
  if (context_ == nullptr) return absl::ResourceExhaustedError("out of memory");
  const auto ignore = [](const void*) {};
  Wait wait{.on_reply = ignore};
  if (StartConnect(context_.get(), address, port, OnDone, &wait) != 0) {
    return absl::UnavailableError(LastError(context_.get()));
  }
  const absl::Status run = RunUntilDone(context_.get(), wait, deadline_);
  const absl::Status status = run.ok() ? wait.status : run;
  if (!status.ok()) {
    context_.reset();
    return status;
  }
  DisableNagle(context_.get());
  return absl::OkStatus();
}

absl::Status BlockingRpc::Call(absl::FunctionRef<int(rpc_context*, rpc_cb, void*)> start,
                               absl::FunctionRef<void(const void*)> on_reply) {
  if (context_ == nullptr) return absl::UnavailableError("not connected");
  Wait wait{.on_reply = on_reply};
  if (start(context_.get(), OnDone, &wait) != 0) return absl::UnavailableError(LastError(context_.get()));
  const absl::Status run = RunUntilDone(context_.get(), wait, deadline_);
  if (!run.ok()) {
    context_.reset();
    return run;
  }
  return wait.status;
}

}  // namespace crest::nfs
