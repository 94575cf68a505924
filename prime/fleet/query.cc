#include "prime/fleet/query.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "prime/fleet/waiting.h"
#include "workloads/operation.h"

namespace crest {
namespace {

constexpr std::chrono::milliseconds kTick(100);

// One call; its memory must stay until it is done.
struct Call {
  grpc::ClientContext context;
  v1::GetStatusRequest request;
  v1::AgentStatus answer;
  grpc::Status status;
};

// Runs the calls, some at a time. The callbacks of gRPC count down; the one thread that waits starts the next.
class Calls {
 public:
  explicit Calls(size_t agents) : calls_(agents), done_(agents, false) {}

  void Start(size_t agent, v1::Agent::Stub& stub, absl::Duration timeout) {
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    Call& call = *(calls_[agent] = std::make_unique<Call>());
    call.context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(timeout));
    stub.async()->GetStatus(&call.context, &call.request, &call.answer, [this, agent, &call](grpc::Status status) {
      const std::lock_guard lock(mutex_);
      call.status = std::move(status);
      done_[agent] = true;
      --running_;
      changed_.notify_one();
    });
  }

  // Until fewer than `limit` calls run, or a tick is over.
  bool AwaitFewerThan(int limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTick, [&] { return running_ < limit; });
  }

  void Cancel() {
    for (const std::unique_ptr<Call>& call : calls_) {
      if (call != nullptr) call->context.TryCancel();
    }
  }

  std::vector<std::string> Unanswered(const std::vector<AgentEndpoint>& agents) {
    std::vector<std::string> names;
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < agents.size(); ++i) {
      if (calls_[i] != nullptr && !done_[i]) names.push_back(NameOf(agents[i]));
    }
    return names;
  }

  // After the agent's call is done.
  Call* call(size_t agent) { return calls_[agent].get(); }

 private:
  std::vector<std::unique_ptr<Call>> calls_;  // the driving thread's; a callback touches its own call alone
  std::mutex mutex_;                          // guards what follows, and each call's status until it is done
  std::condition_variable changed_;
  std::vector<bool> done_;
  int running_ = 0;
};

std::string SchemeOf(const std::string& target) {
  const size_t colon = target.find(':');
  return colon == std::string::npos ? target : target.substr(0, colon);
}

const v1::EngineInfo* FindEngine(const v1::AgentStatus& status, const std::string& scheme) {
  for (const v1::EngineInfo& engine : status.engines()) {
    if (engine.scheme() == scheme) return &engine;
  }
  return nullptr;
}

std::string EngineNames(const v1::AgentStatus& status) {
  return absl::StrJoin(status.engines(), ", ",
                       [](std::string* out, const v1::EngineInfo& engine) { out->append(engine.scheme()); });
}

}  // namespace

std::vector<absl::StatusOr<v1::AgentStatus>> QueryStubs(
    const std::vector<AgentEndpoint>& agents,
    const std::vector<absl::StatusOr<std::unique_ptr<v1::Agent::Stub>>>& stubs, const FleetOptions& options,
    const std::function<bool()>& cancelled) {
  Calls calls(agents.size());
  WaitTeller teller(options.on_wait);
  bool stop = false;
  const auto await_fewer = [&](int limit) {
    while (!calls.AwaitFewerThan(limit)) {
      if (!stop && cancelled()) {
        stop = true;
        calls.Cancel();
      }
      teller.Tell(calls.Unanswered(agents), "connecting");
    }
  };
  for (size_t i = 0; i < agents.size(); ++i) {
    await_fewer(std::max(1, options.connects_in_parallel));
    if (stop || cancelled()) break;
    if (stubs[i].ok()) calls.Start(i, **stubs[i], options.connect_timeout);
  }
  await_fewer(1);

  std::vector<absl::StatusOr<v1::AgentStatus>> answers;
  for (size_t i = 0; i < agents.size(); ++i) {
    Call* call = calls.call(i);
    if (!stubs[i].ok()) {
      answers.push_back(stubs[i].status());
    } else if (call == nullptr || (stop && !call->status.ok())) {
      answers.push_back(absl::CancelledError("interrupted while connecting"));
    } else if (!call->status.ok()) {
      answers.push_back(ExplainRpc(NameOf(agents[i]), call->status, options.connect_timeout));
    } else {
      answers.push_back(std::move(call->answer));
    }
  }
  return answers;
}

std::vector<absl::StatusOr<v1::AgentStatus>> QueryAgents(const std::vector<AgentEndpoint>& agents,
                                                         const FleetOptions& options) {
  std::vector<absl::StatusOr<std::unique_ptr<v1::Agent::Stub>>> stubs;
  for (const AgentEndpoint& agent : agents) stubs.push_back(Dial(agent, options.tls));
  return QueryStubs(agents, stubs, options, [] { return false; });
}

absl::Status CheckCapabilities(const std::string& name, const v1::AgentStatus& status,
                               const std::vector<std::string>& targets, const v1::Workload& workload) {
  absl::flat_hash_set<std::string> checked;
  for (const std::string& target : targets) {
    const std::string scheme = SchemeOf(target);
    if (!checked.insert(scheme).second) continue;
    const v1::EngineInfo* engine = FindEngine(status, scheme);
    if (engine == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": has no engine for ", scheme, ": targets; it has ",
                                                     EngineNames(status),
                                                     ". Choose another target or install an agent "
                                                     "that has it"));
    }
    std::vector<std::string> missing;
    for (const v1::OperationShare& entry : workload.mix()) {
      const auto& can = engine->operations();
      if (entry.share() > 0 && std::find(can.begin(), can.end(), entry.operation()) == can.end()) {
        missing.emplace_back(OperationName(entry.operation()));
      }
    }
    if (!missing.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": the engine ", scheme, " cannot do ",
                                                     absl::StrJoin(missing, ", "), " of the workload ", workload.name(),
                                                     "; take them out of its mix or choose another target"));
    }
  }
  return absl::OkStatus();
}

}  // namespace crest
