// An HTTP server of a test's own, which answers as it is told.
#ifndef CREST_PRIME_OBSERVE_FAKE_HTTP_SERVER_H_
#define CREST_PRIME_OBSERVE_FAKE_HTTP_SERVER_H_

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace crest {

/// On loopback and a free port; a connection for each request, one after the other.
class FakeHttpServer {
 public:
  struct Answer {
    int code = 200;
    std::string body;
    bool silent = false;  // the request is read and never answered
  };
  /// `path`: "/api/v1/query_range?query=…".
  using Handler = std::function<Answer(const std::string& path)>;

  explicit FakeHttpServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    listen(listener_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }

  ~FakeHttpServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    for (const int connection : silent_) close(connection);
  }

  FakeHttpServer(const FakeHttpServer&) = delete;
  FakeHttpServer& operator=(const FakeHttpServer&) = delete;

  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }

  std::vector<std::string> paths() const {
    const std::lock_guard lock(mutex_);
    return paths_;
  }

 private:
  void Serve() {
    for (int connection = 0; (connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      const std::string request = ReadRequest(connection);
      const std::string path = request.substr(0, request.find(' ', 4)).substr(4);
      {
        const std::lock_guard lock(mutex_);
        paths_.push_back(path);
      }
      const Answer answer = handler_(path);
      if (answer.silent) {
        silent_.push_back(connection);
        continue;
      }
      const std::string text =
          absl::StrCat("HTTP/1.1 ", answer.code, " Said\r\nConnection: close\r\nContent-Length: ", answer.body.size(),
                       "\r\n\r\n", answer.body);
      for (size_t sent = 0; sent < text.size();) {
        const ssize_t n = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) break;
        sent += static_cast<size_t>(n);
      }
      close(connection);
    }
  }

  static std::string ReadRequest(int connection) {
    std::string request;
    char buffer[4096];
    while (!absl::StrContains(request, "\r\n\r\n")) {
      const ssize_t n = recv(connection, buffer, sizeof(buffer), 0);
      if (n <= 0) break;
      request.append(buffer, static_cast<size_t>(n));
    }
    return request.size() < 4 ? "GET / " : request;
  }

  const Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;  // guarded by mutex_
  std::vector<int> silent_;         // of thread_, until it has ended
  std::thread thread_;
};

}  // namespace crest

#endif  // CREST_PRIME_OBSERVE_FAKE_HTTP_SERVER_H_
