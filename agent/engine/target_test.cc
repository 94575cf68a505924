#include "agent/engine/target.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Target Parsed(absl::string_view url) {
  absl::StatusOr<Target> target = ParseTarget(url);
  EXPECT_TRUE(target.ok()) << url << ": " << target.status();
  return target.ok() ? *target : Target();
}

std::string Refused(absl::string_view url) {
  const absl::StatusOr<Target> target = ParseTarget(url);
  EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument) << url;
  return std::string(target.status().message());
}

TEST(TargetTest, TakesNfsUrlApart) {
  const Target target = Parsed("NFS://filer-a:2049/export/bench?nfsport=20049&uid=0");
  EXPECT_EQ(target.url, "NFS://filer-a:2049/export/bench?nfsport=20049&uid=0");
  EXPECT_EQ(target.scheme, "nfs");
  EXPECT_EQ(target.host, "filer-a");
  EXPECT_EQ(target.port, 2049);
  EXPECT_EQ(target.path, "/export/bench");
  EXPECT_THAT(target.parameters, ElementsAre(Pair("nfsport", "20049"), Pair("uid", "0")));
}

TEST(TargetTest, PartsMayBeMissing) {
  EXPECT_EQ(Parsed("null:").scheme, "null");
  EXPECT_EQ(Parsed("null:").path, "");
  EXPECT_EQ(Parsed("nfs://filer").path, "");
  EXPECT_EQ(Parsed("nfs://filer").port, 0);
  const Target simulated = Parsed("sim://?servers=8&service_time=2ms");
  EXPECT_EQ(simulated.host, "");
  EXPECT_THAT(simulated.parameters, ElementsAre(Pair("servers", "8"), Pair("service_time", "2ms")));
  EXPECT_THAT(Parsed("nfs://filer/e").parameters, IsEmpty());
}

TEST(TargetTest, FilesAndSocketsHaveNoHost) {
  const Target file = Parsed("file:///mnt/a b");
  EXPECT_EQ(file.host, "");
  EXPECT_EQ(file.path, "/mnt/a b");
  const Target socket = Parsed("nbd+unix:///disk?socket=/run/nbd.sock");
  EXPECT_EQ(socket.scheme, "nbd+unix");
  EXPECT_THAT(socket.parameters, ElementsAre(Pair("socket", "/run/nbd.sock")));
}

TEST(TargetTest, Ipv6HostsLoseTheirBrackets) {
  EXPECT_EQ(Parsed("nfs://[::1]/e").host, "::1");
  EXPECT_EQ(Parsed("nfs://[::1]/e").port, 0);
  EXPECT_EQ(Parsed("iscsi://[fe80::1%eth0]:3260/iqn.2026-01.x:y/0").host, "fe80::1%eth0");
  EXPECT_EQ(Parsed("iscsi://[fe80::1%eth0]:3260/iqn.2026-01.x:y/0").port, 3260);
  EXPECT_THAT(Refused("nfs://::1/e"), HasSubstr("brackets"));
  EXPECT_THAT(Refused("nfs://[::1/e"), HasSubstr("bracket"));
  EXPECT_THAT(Refused("nfs://[nonsense]/e"), HasSubstr("nonsense"));
}

TEST(TargetTest, PathsHoldWhatFileSystemsHold) {
  EXPECT_EQ(Parsed("nfs://filer/vol 1/a:b/größe").path, "/vol 1/a:b/größe");
  EXPECT_EQ(Parsed("nfs://filer/vol%201/a%3Ab/50%25%3f").path, "/vol 1/a:b/50%?");
  EXPECT_EQ(Parsed("nfs://filer/a#b+c@d").path, "/a#b+c@d");
  EXPECT_EQ(Parsed("nfs://filer/%C3%A9").path, "/é");
}

TEST(TargetTest, TrailingSlashesGoButTheRootStays) {
  EXPECT_EQ(Parsed("nfs://filer/e//").path, "/e");
  EXPECT_EQ(Parsed("nfs://filer/").path, "/");
  EXPECT_EQ(Parsed("nfs://filer/e%2F").path, "/e");
}

TEST(TargetTest, ParameterValuesAreDecoded) {
  EXPECT_THAT(Parsed("nfs://h/e?a=b%26c=d&e=x=y&f=").parameters,
              ElementsAre(Pair("a", "b&c=d"), Pair("e", "x=y"), Pair("f", "")));
}

TEST(TargetTest, NamesTheWrongPart) {
  EXPECT_THAT(Refused(""), HasSubstr("empty"));
  EXPECT_THAT(Refused("/export"), HasSubstr("scheme"));
  EXPECT_THAT(Refused("filer:/export/bench"), HasSubstr("nfs://filer/export/bench"));
  EXPECT_THAT(Refused("nfs:filer"), HasSubstr("//"));
  EXPECT_THAT(Refused("3com://h/e"), HasSubstr("letter"));
  EXPECT_THAT(Refused("n f://h/e"), HasSubstr("scheme"));
  EXPECT_THAT(Refused("nfs://h:0/e"), HasSubstr("65535"));
  EXPECT_THAT(Refused("nfs://h:70000/e"), HasSubstr("70000"));
  EXPECT_THAT(Refused("nfs://h:/e"), HasSubstr("port"));
  EXPECT_THAT(Refused("nfs://root@h/e"), HasSubstr("user"));
  EXPECT_THAT(Refused("nfs://:2049/e"), HasSubstr("host"));
  EXPECT_THAT(Refused("nfs://h/e?ro"), HasSubstr("key=value"));
  EXPECT_THAT(Refused("nfs://h/e?"), HasSubstr("key=value"));
  EXPECT_THAT(Refused("nfs://h/e?=1"), HasSubstr("key=value"));
  EXPECT_THAT(Refused("nfs://h/e?a=1&a=2"), HasSubstr("twice"));
  EXPECT_THAT(Refused("nfs://h/e%2"), HasSubstr("%25"));
  EXPECT_THAT(Refused("nfs://h/e?a=%zz"), HasSubstr("parameter a"));
}

TEST(TargetTest, RefusesHostileInput) {
  EXPECT_THAT(Refused("nfs://h/e/../../etc"), HasSubstr("\"..\""));
  EXPECT_THAT(Refused("file:///mnt/%2e%2e/etc"), HasSubstr("\"..\""));
  EXPECT_THAT(Refused("file:///mnt/./x"), HasSubstr("\".\""));
  EXPECT_THAT(Refused("nfs://h/e%00"), HasSubstr("control"));
  EXPECT_THAT(Refused("nfs://h/e%0a"), HasSubstr("control"));
  EXPECT_THAT(Refused(absl::string_view("nfs://h/e\0x", 11)), HasSubstr("control"));
  EXPECT_THAT(Refused(absl::StrCat("nfs://h/", std::string(9000, 'x'))), HasSubstr("longer"));
  EXPECT_THAT(Refused(absl::StrCat("nfs://", std::string(300, 'h'), "/e")), HasSubstr("longer"));
  const std::string message = Refused("nfs://h/\x1b[2J\n");
  EXPECT_FALSE(absl::StrContains(message, "\x1b") || absl::StrContains(message, "\n")) << message;
  for (int length = 0; length < 40; ++length) {
    (void)ParseTarget(absl::string_view("nfs://[fe80::1%25]:99/%41%42?k=%43&l=%44").substr(0, length));
  }
}

}  // namespace
}  // namespace crest
