#include "tests/servers/fault_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace crest {
namespace {

constexpr size_t kWord = sizeof(uint32_t);
constexpr uint32_t kLastFragment = 0x80000000;
constexpr uint32_t kReply = 1;
constexpr size_t kProcedures = 22;
constexpr int kPollMilliseconds = 20;

uint32_t WordAt(const std::string& bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, kWord);
  return ntohl(word);
}

void AppendWord(std::string& bytes, uint32_t word) {
  const uint32_t network = htonl(word);
  bytes.append(reinterpret_cast<const char*>(&network), kWord);
}

bool SendAll(int socket, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += static_cast<size_t>(sent);
  }
  return true;
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

FaultRelay::FaultRelay(uint16_t server_port) : server_port_(server_port), seen_(kProcedures) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof(address);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), length) == 0 && listen(listener_, 16) == 0 &&
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    port_ = ntohs(address.sin_port);
  }
  thread_ = std::thread([this] { Run(); });
}

FaultRelay::~FaultRelay() {
  stop_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  close(listener_);
}

void FaultRelay::SetScript(Script script) {
  absl::MutexLock lock(&mutex_);
  script_ = std::move(script);
}

std::vector<int64_t> FaultRelay::Seen() const {
  absl::MutexLock lock(&mutex_);
  return seen_;
}

std::string FaultRelay::Accepted(const std::vector<uint32_t>& words) {
  std::string reply = Refused(0);
  for (const uint32_t word : words) AppendWord(reply, word);
  return reply;
}

std::string FaultRelay::Refused(uint32_t accept_stat) {
  std::string reply;
  for (const uint32_t word : {kReply, 0u /* MSG_ACCEPTED */, 0u, 0u /* AUTH_NONE, empty */, accept_stat}) {
    AppendWord(reply, word);
  }
  return reply;
}

std::string FaultRelay::Denied() {
  std::string reply;
  for (const uint32_t word : {kReply, 1u /* MSG_DENIED */, 1u /* AUTH_ERROR */, 1u /* AUTH_BADCRED */}) {
    AppendWord(reply, word);
  }
  return reply;
}

void FaultRelay::Run() {
  while (!stop_) {
    std::vector<pollfd> polled = {{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      polled.push_back({pair.client, POLLIN, 0});
      polled.push_back({pair.server, POLLIN, 0});
    }
    if (poll(polled.data(), polled.size(), kPollMilliseconds) <= 0) continue;
    std::vector<Pair> kept;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      bool good = polled[2 * i + 1].revents == 0 || Forward(pair);
      if (good && polled[2 * i + 2].revents != 0) {
        char buffer[65536];
        const ssize_t size = recv(pair.server, buffer, sizeof(buffer), 0);
        good = size > 0 && SendAll(pair.client, std::string(buffer, static_cast<size_t>(size)));
      }
      if (good) {
        kept.push_back(std::move(pair));
      } else {
        close(pair.client);
        close(pair.server);
      }
    }
    pairs_ = std::move(kept);
    if (polled[0].revents != 0) Accept();
  }
}

void FaultRelay::Accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(server_port_);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(client);
    close(server);
    return;
  }
  const int on = 1;
  for (const int end : {client, server}) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  pairs_.push_back({client, server, {}});
}

bool FaultRelay::Forward(Pair& pair) {
  char buffer[65536];
  const ssize_t size = recv(pair.client, buffer, sizeof(buffer), 0);
  if (size <= 0) return false;
  pair.bytes.append(buffer, static_cast<size_t>(size));
  // libnfs sends every record as one fragment.
  while (pair.bytes.size() >= kWord) {
    const size_t length = kWord + (WordAt(pair.bytes, 0) & ~kLastFragment);
    if (pair.bytes.size() < length) break;
    const std::string record = pair.bytes.substr(0, length);
    pair.bytes.erase(0, length);
    if (!Handle(pair, record)) return false;
  }
  return true;
}

bool FaultRelay::Handle(Pair& pair, const std::string& record) {
  const uint32_t procedure = WordAt(record, 6 * kWord);  // behind marker, xid, CALL, RPC version, program, version
  std::optional<std::string> answer;
  {
    absl::MutexLock lock(&mutex_);
    if (procedure < seen_.size()) ++seen_[procedure];
    if (script_) answer = script_(procedure);
  }
  if (!answer.has_value()) return SendAll(pair.server, record);
  if (answer->empty()) return true;
  std::string reply;
  AppendWord(reply, kLastFragment | static_cast<uint32_t>(kWord + answer->size()));
  AppendWord(reply, WordAt(record, kWord));
  return SendAll(pair.client, reply + *answer);
}

}  // namespace crest
