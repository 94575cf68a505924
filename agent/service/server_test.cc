#include "agent/service/server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/server_XXXXXX");
    folder_ = mkdtemp(pattern.data());
    options_.listen.host = "127.0.0.1";
  }
  ~ServerTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, mode_t mode) {
    std::ofstream(Path(name)) << "x";
    chmod(Path(name).c_str(), mode);
  }
  std::string Path(const std::string& name) const { return absl::StrCat(folder_, "/", name); }
  std::string Text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  absl::Status Start() { return AgentServer::Start(options_, &service_).status(); }

  std::string folder_;
  ServerOptions options_;
  v1::Agent::Service service_;
};

TEST_F(ServerTest, BeyondLoopbackNeedsTlsOrConsent) {
  options_.listen.host = "0.0.0.0";
  const absl::Status refused = Start();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--tls-cert"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--insecure"));
  options_.insecure = true;
  EXPECT_TRUE(Start().ok());
}

TEST_F(ServerTest, AllThreeFilesAndAPrivateKey) {
  Write("key", 0640);
  options_.tls_key = Path("key");
  EXPECT_EQ(Start().code(), absl::StatusCode::kInvalidArgument);
  options_.tls_cert = Path("cert");
  options_.tls_ca = Path("ca");
  const absl::Status open_key = Start();
  EXPECT_EQ(open_key.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(open_key.message()), HasSubstr("chmod 600"));
  chmod(Path("key").c_str(), 0600);
  EXPECT_EQ(Start().code(), absl::StatusCode::kNotFound);  // no certificate there
}

TEST_F(ServerTest, PortInUse) {
  const absl::StatusOr<std::unique_ptr<AgentServer>> first = AgentServer::Start(options_, &service_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_NE((*first)->address().port, 0);
  options_.listen = (*first)->address();
  const absl::Status second = Start();
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.message()), HasSubstr("in use"));
}

TEST_F(ServerTest, UnixSocketIsPrivateAndTakenAway) {
  options_.listen = {.host = "", .port = 0, .unix_path = Path("agent.sock")};
  {
    const absl::StatusOr<std::unique_ptr<AgentServer>> server = AgentServer::Start(options_, &service_);
    ASSERT_TRUE(server.ok()) << server.status();
    struct stat info {};
    ASSERT_EQ(stat(Path("agent.sock").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600);
    EXPECT_EQ(Start().code(), absl::StatusCode::kAlreadyExists);
    EXPECT_TRUE(std::filesystem::exists(Path("agent.sock")));
  }
  EXPECT_FALSE(std::filesystem::exists(Path("agent.sock")));
}

TEST_F(ServerTest, StaleSocketIsReplacedAndAFileIsNot) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  Path("stale.sock").copy(name.sun_path, sizeof(name.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  close(fd);
  options_.listen = {.host = "", .port = 0, .unix_path = Path("stale.sock")};
  EXPECT_TRUE(Start().ok());
  Write("file", 0600);
  options_.listen.unix_path = Path("file");
  EXPECT_EQ(Start().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Text("file"), "x");
}

TEST_F(ServerTest, MutualTlsTakesNobodyWithoutACertificate) {
  const std::string script = absl::StrCat(
      "cd ", folder_,
      " && umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key ",
      "-out ca.crt -days 2 -subj /CN=ca -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null");
  ASSERT_EQ(std::system(script.c_str()), 0);
  options_.tls_key = Path("ca.key");
  options_.tls_cert = options_.tls_ca = Path("ca.crt");
  const absl::StatusOr<std::unique_ptr<AgentServer>> server = AgentServer::Start(options_, &service_);
  ASSERT_TRUE(server.ok()) << server.status();
  const auto call = [&](const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    const auto stub = v1::Agent::NewStub(grpc::CreateChannel((*server)->address().ToString(), credentials));
    grpc::ClientContext context;
    v1::AgentStatus status;
    return stub->GetStatus(&context, {}, &status).error_code();
  };
  grpc::SslCredentialsOptions known{Text("ca.crt"), Text("ca.key"), Text("ca.crt")};
  grpc::SslCredentialsOptions unknown{Text("ca.crt"), "", ""};
  EXPECT_EQ(call(grpc::SslCredentials(known)), grpc::StatusCode::UNIMPLEMENTED);  // it got through to the empty service
  EXPECT_EQ(call(grpc::SslCredentials(unknown)), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(call(grpc::InsecureChannelCredentials()), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace crest
