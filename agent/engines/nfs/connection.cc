#include "agent/engines/nfs/connection.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agent/engines/nfs/nfs_status.h"

namespace crest::nfs {
namespace {

constexpr int64_t kMinBackoffNs = 50'000'000;
constexpr int64_t kMaxBackoffNs = 1'000'000'000;
constexpr int64_t kConnectBoundNs = 5'000'000'000;

}  // namespace

Connection::Connection(Endpoint endpoint, Clock* clock, CallListener* listener)
    : endpoint_(std::move(endpoint)), clock_(clock), listener_(listener), backoff_ns_(kMinBackoffNs) {}

Connection::~Connection() {
  listener_ = nullptr;
  // Before the calls that it calls back.
  context_.reset();
}

absl::Status Connection::Open(MonoTime deadline) {
  BeginConnect(clock_->Now());
  while (state_ == State::kConnecting && !broken_) {
    const int64_t left_ns = deadline - clock_->Now();
    if (left_ns <= 0) return absl::DeadlineExceededError("the server does not accept a connection");
    pollfd ready{.fd = descriptor(), .events = events(), .revents = 0};
    if (poll(&ready, 1, static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, 1000))) > 0) {
      Service(ready.revents);
    }
  }
  if (state_ == State::kReady && !broken_) return absl::OkStatus();
  return absl::UnavailableError(context_ == nullptr ? "out of memory" : LastError(context_.get()));
}

bool Connection::HasUnsent() const { return (rpc_which_events(context_.get()) & POLLOUT) != 0; }

int Connection::descriptor() const { return state_ == State::kDown || broken_ ? -1 : rpc_get_fd(context_.get()); }

short Connection::events() const {
  return state_ == State::kDown || broken_ ? short{0} : static_cast<short>(rpc_which_events(context_.get()));
}

MonoTime Connection::Send(const CallArguments& arguments, const CallTag& tag) {
  if (free_calls_.empty()) free_calls_.push_back(&calls_.emplace_back(Call{this, {}}));
  Call* call = free_calls_.back();
  free_calls_.pop_back();
  call->tag = tag;
  if (QueueCall(context_.get(), arguments, OnDone, call) != 0) {
    free_calls_.push_back(call);
    broken_ = true;
    return MonoTime();
  }
  const MonoTime sent = clock_->Now();
  // Writes the queue now; without this libnfs would wait until it is told that the socket can be written to.
  if (rpc_service(context_.get(), POLLOUT) != 0) broken_ = true;
  return sent;
}

void Connection::OnDone(rpc_context*, int status, void* data, void* private_data) {
  auto* call = static_cast<Call*>(private_data);
  Connection* connection = call->connection;
  connection->free_calls_.push_back(call);
  if (connection->listener_ == nullptr) return;
  const CallTag tag = call->tag;
  switch (status) {
    case RPC_STATUS_SUCCESS:
      connection->listener_->OnReply(tag, ReadReply(tag.procedure, data), connection->arrived_);
      break;
    case RPC_STATUS_ERROR: {
      const Outcome outcome = OutcomeOfRpcError(static_cast<const char*>(data));
      // Also after an answer that makes no sense, with which libnfs would go on.
      if (outcome == kConnectionLost) connection->broken_ = true;
      connection->listener_->OnNoReply(tag, outcome);
      break;
    }
    default:
      connection->listener_->OnNoReply(tag, kConnectionLost);
      break;
  }
}

void Connection::OnConnected(rpc_context* rpc, int status, void*, void* private_data) {
  auto* connection = static_cast<Connection*>(private_data);
  if (status != RPC_STATUS_SUCCESS) {
    connection->broken_ = true;
    return;
  }
  DisableNagle(rpc);
  connection->arrival_times_.Enable(rpc_get_fd(rpc));
  connection->state_ = State::kReady;
  connection->backoff_ns_ = kMinBackoffNs;
  if (connection->was_ready_) ++connection->reconnect_count_;
  connection->was_ready_ = true;
}

void Connection::Service(short revents) {
  if (state_ == State::kDown || broken_) return;
  if ((revents & POLLIN) != 0 && state_ == State::kReady) arrived_ = arrival_times_.OfWaiting(descriptor(), *clock_);
  if (rpc_service(context_.get(), revents) != 0) broken_ = true;
}

void Connection::BeginConnect(MonoTime now) {
  context_ = NewContext(endpoint_.uid, endpoint_.gid);
  state_ = State::kConnecting;
  broken_ =
      context_ == nullptr || StartConnect(context_.get(), endpoint_.address, endpoint_.port, OnConnected, this) != 0;
  next_ = now + kConnectBoundNs;
}

void Connection::GiveUp(MonoTime now) {
  context_.reset();
  state_ = State::kDown;
  broken_ = false;
  next_ = now + backoff_ns_;
  backoff_ns_ = std::min(2 * backoff_ns_, kMaxBackoffNs);
}

void Connection::Maintain(MonoTime now) {
  if (broken_ || (state_ == State::kConnecting && now >= next_)) GiveUp(now);
  if (state_ == State::kDown && now >= next_) BeginConnect(now);
}

MonoTime Connection::NextMaintenance() const {
  if (broken_) return MonoTime();
  return state_ == State::kReady ? MonoTime::Max() : next_;
}

}  // namespace crest::nfs
