#include "prime/fleet/dial.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Explained(grpc::StatusCode code, const std::string& text) {
  return std::string(ExplainRpc("client7:7460", {code, text}, absl::Seconds(10)).message());
}

TEST(DialTest, EveryExplanationNamesTheAgentAndSaysWhatToDo) {
  EXPECT_THAT(Explained(grpc::StatusCode::UNAVAILABLE, "DNS resolution failed for client7:7460"),
              StartsWith("client7:7460: the name cannot be resolved; check its spelling"));
  EXPECT_THAT(Explained(grpc::StatusCode::UNAVAILABLE, "connect: Connection refused"),
              HasSubstr("start crest-agent on that host"));
  EXPECT_THAT(Explained(grpc::StatusCode::UNAVAILABLE, "Ssl handshake failed: CERTIFICATE_VERIFY_FAILED"),
              HasSubstr("TLS was refused"));
  EXPECT_THAT(Explained(grpc::StatusCode::UNAVAILABLE, "Socket closed"), HasSubstr("it asks for TLS"));
  EXPECT_THAT(Explained(grpc::StatusCode::UNAVAILABLE, "No route to host"), HasSubstr("the firewall"));
  EXPECT_THAT(Explained(grpc::StatusCode::DEADLINE_EXCEEDED, ""), HasSubstr("no answer within 10 s"));
  EXPECT_THAT(Explained(grpc::StatusCode::UNIMPLEMENTED, ""), HasSubstr("the same version of crest"));
}

TEST(DialTest, AnAgentsOwnWordsAreKept) {
  const absl::Status status =
      ExplainRpc("client7", {grpc::StatusCode::NOT_FOUND, "nfs://filer/x: no such export"}, absl::Seconds(1));
  EXPECT_EQ(status, absl::NotFoundError("client7: nfs://filer/x: no such export"));
}

TEST(DialTest, RefusesAnAddressThatCannotBeRead) {
  EXPECT_EQ(Dial({.address = "client7:99999", .name = ""}, {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Dial({.address = "[::1]:7460", .name = ""}, {}).ok());
  EXPECT_TRUE(Dial({.address = "unix:/tmp/no such place/s", .name = ""}, {}).ok());
}

TEST(DialTest, NamesTheTlsFileThatCannotBeRead) {
  const TlsFiles tls{.cert = "/nonexistent/c", .key = "/nonexistent/k", .ca = "/nonexistent/ca"};
  EXPECT_THAT(std::string(Dial({.address = "client7", .name = ""}, tls).status().message()),
              StartsWith("/nonexistent/ca: cannot be read"));
}

}  // namespace
}  // namespace crest
