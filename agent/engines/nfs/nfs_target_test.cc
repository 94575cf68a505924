#include "agent/engines/nfs/nfs_target.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest::nfs {
namespace {

using testing::HasSubstr;

absl::StatusOr<NfsTarget> Read(const std::string& url) {
  const absl::StatusOr<Target> target = ParseTarget(url);
  EXPECT_TRUE(target.ok()) << target.status();
  return ReadTarget(*target);
}

std::string Refused(const std::string& url) {
  const absl::Status status = Read(url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << url;
  return std::string(status.message());
}

TEST(NfsTargetTest, ReadsAllParameters) {
  const absl::StatusOr<NfsTarget> target =
      Read("nfs://[::1]/vol 1/b?nfsport=20049&mountport=20048&uid=7&gid=8&connections=4&timeout=5s");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->host, "::1");
  EXPECT_EQ(target->export_path, "/vol 1/b");
  EXPECT_EQ(target->nfs_port, 20049);
  EXPECT_EQ(target->mount_port, 20048);
  EXPECT_EQ(target->uid, 7u);
  EXPECT_EQ(target->gid, 8u);
  EXPECT_EQ(target->connections, 4u);
  EXPECT_EQ(target->timeout, absl::Seconds(5));
}

TEST(NfsTargetTest, DefaultsAskRpcbindAndUseOneConnection) {
  const absl::StatusOr<NfsTarget> target = Read("nfs://filer/e");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->nfs_port, 0);
  EXPECT_EQ(target->mount_port, 0);
  EXPECT_EQ(target->connections, 1u);
  EXPECT_EQ(target->timeout, absl::Seconds(60));
  EXPECT_EQ(Read("nfs://filer:20049/e")->nfs_port, 20049);
}

TEST(NfsTargetTest, NamesWhatIsWrong) {
  EXPECT_THAT(Refused("nfs:///e"), HasSubstr("host"));
  EXPECT_THAT(Refused("nfs://filer"), HasSubstr("nfs://filer/EXPORT"));
  EXPECT_THAT(Refused("nfs://filer/" + std::string(2000, 'x')), HasSubstr("1024"));
  EXPECT_THAT(Refused("nfs://filer/e?nfs_port=1"), HasSubstr("did you mean nfsport?"));
  EXPECT_THAT(Refused("nfs://filer/e?nfsport=0"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("nfs://filer/e?nfsport=65536"), HasSubstr("nfsport=65536"));
  EXPECT_THAT(Refused("nfs://filer:1/e?nfsport=1"), HasSubstr("twice"));
  EXPECT_THAT(Refused("nfs://filer/e?uid=-1"), HasSubstr("uid=-1"));
  EXPECT_THAT(Refused("nfs://filer/e?uid=root"), HasSubstr("uid=root"));
  EXPECT_THAT(Refused("nfs://filer/e?connections=0"), HasSubstr("connections"));
  EXPECT_THAT(Refused("nfs://filer/e?timeout=0s"), HasSubstr("10ms to 1h"));
  EXPECT_THAT(Refused("nfs://filer/e?timeout=soon"), HasSubstr("timeout"));
}

}  // namespace
}  // namespace crest::nfs
