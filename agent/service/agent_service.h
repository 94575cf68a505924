// The gRPC service of an agent: who holds it, and the threads that its sessions share.
#ifndef CREST_AGENT_SERVICE_AGENT_SERVICE_H_
#define CREST_AGENT_SERVICE_AGENT_SERVICE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/service/allow_list.h"
#include "agent/service/session.h"
#include "base/clock.h"
#include "crest/v1/agent.grpc.pb.h"

namespace crest {

struct AgentServiceOptions {
  const Clock* clock = nullptr;
  SessionObserver* observer = nullptr;  // may be nullptr
  LoadFactory open_load;                // called with targets that are allowed, on a thread that may block
  AllowList allowed;
  std::function<v1::HostInfo()> host;
};

/// The engines of this program as agents tell them.
std::vector<v1::EngineInfo> DescribeEngines();

/// One session at a time. Thread-safe; destroy it after the server that it is registered with.
class AgentService final : public v1::Agent::CallbackService {
 public:
  /// Streams at once, those that only hear that the agent is busy among them.
  static constexpr size_t kMaxStreams = 64;

  explicit AgentService(AgentServiceOptions options);
  /// Shuts down and waits for the session's load to be closed.
  ~AgentService() override;

  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context, const v1::GetStatusRequest* request,
                                      v1::AgentStatus* response) override;
  grpc::ServerBidiReactor<v1::PrimeMessage, v1::AgentMessage>* Session(grpc::CallbackServerContext* context) override;

  /// Stops the load, ends all sessions with UNAVAILABLE and takes no more. Whether the load was closed within
  /// `timeout`.
  bool Shutdown(absl::Duration timeout);

 private:
  struct Holder {
    std::string name;
    absl::Time since;
    MonoTime since_mono;
  };

  absl::Status Claim(std::shared_ptr<crest::Session> session, const v1::OpenSession& open);
  void Release();
  v1::HostInfo RefreshHost();
  std::vector<std::shared_ptr<crest::Session>> LiveSessions();
  void Work();  // thread: runs one session after the other
  void Keep();  // thread: beats, leases, streams that do not end

  const AgentServiceOptions options_;
  const std::vector<v1::EngineInfo> engines_;

  std::mutex mutex_;
  std::condition_variable changed_;
  v1::HostInfo host_;
  std::vector<std::weak_ptr<crest::Session>> sessions_;
  std::optional<Holder> holder_;
  std::shared_ptr<crest::Session> claimed_;  // holds the agent and waits for the worker
  bool shutting_down_ = false;
  bool quit_ = false;
  bool keep_changed_ = false;  // a session came, so the keeper has to look again

  std::thread worker_;
  std::thread keeper_;
};

}  // namespace crest

#endif  // CREST_AGENT_SERVICE_AGENT_SERVICE_H_
