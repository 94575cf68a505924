#include "prime/fleet/tls.h"

#include <cstdlib>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() { unsetenv("CREST_TLS_DIR"); }
  ~TlsTest() override { unsetenv("CREST_TLS_DIR"); }
};

TEST_F(TlsTest, NothingGivenIsPlain) {
  const absl::StatusOr<TlsFiles> files = FindTlsFiles({});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->empty());
}

TEST_F(TlsTest, HalfIsRefused) {
  EXPECT_EQ(FindTlsFiles({.cert = "/dev/null", .key = "", .ca = ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TlsTest, FolderFillsWhatFlagsLeaveOut) {
  const std::string folder = ::testing::TempDir();
  for (const char* name : {"/client.crt", "/client.key", "/ca.crt"}) std::ofstream(folder + name) << "x";
  setenv("CREST_TLS_DIR", folder.c_str(), 1);
  const absl::StatusOr<TlsFiles> files = FindTlsFiles({.cert = "", .key = "", .ca = "/dev/null"});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->cert, folder + "/client.crt");
  EXPECT_EQ(files->key, folder + "/client.key");
  EXPECT_EQ(files->ca, "/dev/null");
}

TEST_F(TlsTest, MissingFileIsNamed) {
  setenv("CREST_TLS_DIR", "/nonexistent", 1);
  EXPECT_THAT(std::string(FindTlsFiles({}).status().message()), HasSubstr("/nonexistent/client.crt"));
}

}  // namespace
}  // namespace crest
