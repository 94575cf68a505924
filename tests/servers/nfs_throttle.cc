// nfs-throttle: stands before an NFS server and lets requests through one queue with a set service time, so that a
// response-time curve bends on any machine.
//
//   nfs-throttle --listen 127.0.0.1:PORT --to 127.0.0.1:PORT --service-time 800us [--workers 1] [--law
//   fixed|exponential]
//
// Requests of all connections are ONC RPC records (RFC 5531 §11) and wait in one first-come-first-served queue; each of
// the workers holds a record for its service time, then passes it on whole. Replies pass at once. Prints the port it
// listens on as a line of its own. Ends on SIGTERM or SIGINT.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "base/units.h"

namespace crest {
namespace {

constexpr size_t kReadBytes = size_t{256} << 10;
constexpr size_t kMaxRecord = size_t{8} << 20;
constexpr size_t kMaxBuffered = size_t{32} << 20;  // of one direction; more is left in the kernel
constexpr uint32_t kLastFragment = 0x80000000;

struct Options {
  Address listen;
  Address to;
  int64_t service_ns = 0;
  uint32_t workers = 1;
  bool exponential = false;
};

/// When each record may pass: c workers, one queue, first come first served.
class Workers {
 public:
  Workers(const Options& options) : options_(options), random_(1), free_at_(options.workers) {}

  MonoTime Arrive(MonoTime now) {
    const double service = static_cast<double>(options_.service_ns);
    const int64_t service_ns =
        options_.exponential ? static_cast<int64_t>(random_.NextExponential() * service) : options_.service_ns;
    std::pop_heap(free_at_.begin(), free_at_.end(), std::greater<>());
    free_at_.back() = std::max(free_at_.back(), now) + service_ns;
    const MonoTime done = free_at_.back();
    std::push_heap(free_at_.begin(), free_at_.end(), std::greater<>());
    return done;
  }

 private:
  const Options& options_;
  Random random_;
  std::vector<MonoTime> free_at_;
};

/// Bytes on their way to one socket.
class Outbox {
 public:
  void Add(const char* data, size_t size) {
    if (at_ == bytes_.size()) {
      bytes_.clear();
      at_ = 0;
    }
    bytes_.append(data, size);
  }
  bool empty() const { return at_ == bytes_.size(); }
  size_t size() const { return bytes_.size() - at_; }
  /// False when the socket is broken.
  bool Flush(int socket) {
    while (!empty()) {
      const ssize_t sent = send(socket, bytes_.data() + at_, size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      at_ += static_cast<size_t>(sent);
    }
    return true;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

/// Cuts a byte stream into RPC records, their markers included.
class RecordReader {
 public:
  void Add(const char* data, size_t size) { bytes_.append(data, size); }

  /// Takes the first whole record; empty when there is none yet. `broken` is set when the stream is no RPC.
  std::string Take(bool& broken) {
    size_t end = 0;
    for (;;) {
      uint32_t marker = 0;
      if (bytes_.size() - end < sizeof(marker)) return {};
      std::memcpy(&marker, bytes_.data() + end, sizeof(marker));
      marker = ntohl(marker);
      end += sizeof(marker) + (marker & ~kLastFragment);
      if (end > kMaxRecord) broken = true;
      if (broken || bytes_.size() < end) return {};
      if ((marker & kLastFragment) != 0) break;
    }
    std::string record = bytes_.substr(0, end);
    bytes_.erase(0, end);
    return record;
  }

 private:
  std::string bytes_;
};

struct Relay;

/// One of a relay's two sockets, as epoll hands it back.
struct End {
  Relay* relay = nullptr;
  int socket = -1;
  uint32_t events = 0;
  Outbox out;
};

struct Relay {
  End client;
  End server;
  bool server_connected = false;
  bool dead = false;
  size_t held = 0;  // records in the queue
  size_t held_bytes = 0;
  RecordReader records;
};

struct Held {
  MonoTime until;
  uint64_t number = 0;  // of arrival: equal times keep their order
  std::shared_ptr<Relay> relay;
  std::string record;
  friend bool operator>(const Held& a, const Held& b) {
    return std::pair(a.until, a.number) > std::pair(b.until, b.number);
  }
};

class Throttle {
 public:
  explicit Throttle(const Options& options) : options_(options), workers_(options), buffer_(kReadBytes) {}
  ~Throttle() {
    for (const std::shared_ptr<Relay>& relay : relays_) Close(*relay);
    for (const int descriptor : {epoll_, listener_, timer_, signals_}) {
      if (descriptor >= 0) close(descriptor);
    }
  }

  absl::Status Start();
  void Run();

 private:
  void Watch(int descriptor, uint32_t events, void* data) {
    epoll_event event{.events = events, .data = {.ptr = data}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }
  void Accept();
  void OnEvent(End& end, uint32_t events);
  void ReadRequests(Relay& relay);
  void ReadReplies(Relay& relay);
  void PassDue();
  void SetTimer();
  void Update(Relay& relay);
  void SetEvents(End& end, uint32_t events);
  void Close(Relay& relay);
  std::shared_ptr<Relay> Shared(const Relay& relay) const;

  const Options& options_;
  Workers workers_;
  RealClock clock_;
  std::vector<char> buffer_;
  int epoll_ = -1;
  int listener_ = -1;
  int timer_ = -1;
  int signals_ = -1;
  uint64_t arrivals_ = 0;
  std::vector<std::shared_ptr<Relay>> relays_;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> queue_;
};

sockaddr_storage SocketAddress(const Address& address, socklen_t& length) {
  sockaddr_storage storage{};
  if (address.host.find(':') != std::string::npos) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr);
    length = sizeof(*v6);
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr);
    length = sizeof(*v4);
  }
  return storage;
}

void SetNoDelay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

absl::Status Throttle::Start() {
  prctl(PR_SET_TIMERSLACK, 1);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signals_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);

  socklen_t length = 0;
  sockaddr_storage address = SocketAddress(options_.listen, length);
  listener_ = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(listener_, SOMAXCONN) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", options_.listen.ToString(), ": ", std::strerror(errno)));
  }
  Watch(listener_, EPOLLIN, &listener_);
  Watch(timer_, EPOLLIN, &timer_);
  Watch(signals_, EPOLLIN, &signals_);
  const in_port_t port = address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                                       : reinterpret_cast<sockaddr_in*>(&address)->sin_port;
  std::printf("%d\n", ntohs(port));
  std::fflush(stdout);
  return absl::OkStatus();
}

void Throttle::Run() {
  for (;;) {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      void* data = events[i].data.ptr;
      if (data == &signals_) return;
      if (data == &listener_) {
        Accept();
      } else if (data == &timer_) {
        uint64_t expirations = 0;
        (void)!read(timer_, &expirations, sizeof(expirations));
      } else {
        OnEvent(*static_cast<End*>(data), events[i].events);
      }
    }
    PassDue();
    // Only now: events of this round may still point to them.
    std::erase_if(relays_, [](const std::shared_ptr<Relay>& relay) { return relay->dead; });
  }
}

void Throttle::Accept() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    socklen_t length = 0;
    const sockaddr_storage to = SocketAddress(options_.to, length);
    const int server = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server < 0 || (connect(server, reinterpret_cast<const sockaddr*>(&to), length) != 0 && errno != EINPROGRESS)) {
      if (server >= 0) close(server);
      close(client);
      continue;
    }
    SetNoDelay(client);
    SetNoDelay(server);
    auto relay = std::make_shared<Relay>();
    relay->client = {.relay = relay.get(), .socket = client, .events = EPOLLIN, .out = {}};
    relay->server = {.relay = relay.get(), .socket = server, .events = EPOLLIN | EPOLLOUT, .out = {}};
    Watch(client, relay->client.events, &relay->client);
    Watch(server, relay->server.events, &relay->server);
    relays_.push_back(std::move(relay));
  }
}

void Throttle::OnEvent(End& end, uint32_t events) {
  Relay& relay = *end.relay;
  if (relay.dead) return;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0) return Close(relay);
  if ((events & EPOLLOUT) != 0) {
    if (&end == &relay.server) relay.server_connected = true;
    if (!end.out.Flush(end.socket)) return Close(relay);
  }
  if ((events & EPOLLIN) != 0) {
    if (&end == &relay.client) {
      ReadRequests(relay);
    } else {
      ReadReplies(relay);
    }
  }
  if (!relay.dead) Update(relay);
}

void Throttle::ReadRequests(Relay& relay) {
  const ssize_t size = recv(relay.client.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return Close(relay);
  relay.records.Add(buffer_.data(), static_cast<size_t>(size));
  const MonoTime now = clock_.Now();
  bool broken = false;
  for (std::string record = relay.records.Take(broken); !record.empty(); record = relay.records.Take(broken)) {
    ++relay.held;
    relay.held_bytes += record.size();
    queue_.push({workers_.Arrive(now), arrivals_++, Shared(relay), std::move(record)});
  }
  if (broken) Close(relay);
}

void Throttle::ReadReplies(Relay& relay) {
  const ssize_t size = recv(relay.server.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return Close(relay);
  relay.client.out.Add(buffer_.data(), static_cast<size_t>(size));
  if (!relay.client.out.Flush(relay.client.socket)) Close(relay);
}

void Throttle::PassDue() {
  const MonoTime now = clock_.Now();
  while (!queue_.empty() && queue_.top().until <= now) {
    // priority_queue lends its top as const; the record is large, and is popped next.
    Held held = std::move(const_cast<Held&>(queue_.top()));
    queue_.pop();
    Relay& relay = *held.relay;
    if (relay.dead) continue;
    --relay.held;
    relay.held_bytes -= held.record.size();
    relay.server.out.Add(held.record.data(), held.record.size());
    if (relay.server_connected && !relay.server.out.Flush(relay.server.socket)) {
      Close(relay);
    } else {
      Update(relay);
    }
  }
  SetTimer();
}

void Throttle::SetTimer() {
  itimerspec when{};  // nothing to wait for: disarmed
  if (!queue_.empty()) {
    const int64_t ns = std::max<int64_t>(1, queue_.top().until.ns);
    when.it_value = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  }
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
}

void Throttle::Update(Relay& relay) {
  const bool may_read = relay.held_bytes + relay.server.out.size() < kMaxBuffered;
  SetEvents(relay.client, (may_read ? EPOLLIN : 0u) | (relay.client.out.empty() ? 0u : EPOLLOUT));
  const bool wants_out = !relay.server_connected || !relay.server.out.empty();
  SetEvents(relay.server, (relay.client.out.size() < kMaxBuffered ? EPOLLIN : 0u) | (wants_out ? EPOLLOUT : 0u));
}

void Throttle::SetEvents(End& end, uint32_t events) {
  if (end.events == events) return;
  end.events = events;
  epoll_event event{.events = events, .data = {.ptr = &end}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, end.socket, &event);
}

void Throttle::Close(Relay& relay) {
  if (relay.dead) return;
  relay.dead = true;
  close(relay.client.socket);
  close(relay.server.socket);
}

std::shared_ptr<Relay> Throttle::Shared(const Relay& relay) const {
  return *std::find_if(relays_.begin(), relays_.end(),
                       [&](const std::shared_ptr<Relay>& shared) { return shared.get() == &relay; });
}

absl::Status CheckNumeric(absl::string_view option, const Address& address) {
  in6_addr buffer;
  const int family = address.host.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(family, address.host.c_str(), &buffer) == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(option, ": \"", address.host, "\" is not an IP address"));
}

absl::Status Main(const std::string& listen, const std::string& to, const std::string& service_time, uint32_t workers,
                  const std::string& law) {
  Options options;
  CREST_ASSIGN_OR_RETURN(options.listen, ParseAddress(listen, 0));
  CREST_ASSIGN_OR_RETURN(options.to, ParseAddress(to, 0));
  CREST_RETURN_IF_ERROR(CheckNumeric("--listen", options.listen));
  CREST_RETURN_IF_ERROR(CheckNumeric("--to", options.to));
  CREST_ASSIGN_OR_RETURN(const absl::Duration service, ParseDuration(service_time));
  options.service_ns = absl::ToInt64Nanoseconds(service);
  options.workers = workers;
  options.exponential = law == "exponential";
  Throttle throttle(options);
  CREST_RETURN_IF_ERROR(throttle.Start());
  throttle.Run();
  return absl::OkStatus();
}

}  // namespace
}  // namespace crest

int main(int argc, char** argv) {
  CLI::App app("Relays NFS over TCP through one queue with a set service time for each request.", "nfs-throttle");
  std::string listen;
  std::string to;
  std::string service_time;
  uint32_t workers = 1;
  std::string law = "fixed";
  app.add_option("--listen", listen, "Address and port to listen on; port 0: any free one, printed")->required();
  app.add_option("--to", to, "The server's address and port")->required();
  app.add_option("--service-time", service_time, "How long a worker holds a request, as in 800us")->required();
  app.add_option("--workers", workers, "Requests held at the same time")->check(CLI::Range(1, 100'000));
  app.add_option("--law", law, "Of the service times")->check(CLI::IsMember({"fixed", "exponential"}));
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = crest::Main(listen, to, service_time, workers, law);
  if (status.ok()) return 0;
  std::fprintf(stderr, "nfs-throttle: %s\n", std::string(status.message()).c_str());
  return 2;
}
