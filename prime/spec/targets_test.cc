#include "prime/spec/targets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

TEST(CheckTarget, AcceptsWhatEnginesCanBeGiven) {
  for (const char* url : {"nfs://filer/export", "nfs://filer:2049/a b/ä:c", "nfs://[fe80::1]/x",
                          "nfs://[::1]:2049/x?uid=0&gid=0", "nfs://filer/", "nfs://filer/100%25",
                          "null:", "sim://?servers=8&service_time=2ms", "NFS://filer/x", "file:///mnt/bench",
                          "block:///dev/sdx", "nbd+unix:///disk?socket=/run/nbd", "iscsi://h:3260/iqn.2001-04.a:b/0"}) {
    EXPECT_TRUE(CheckTarget(url).ok()) << url << ": " << CheckTarget(url);
  }
  EXPECT_EQ(*TargetScheme("NFS://filer/x"), "nfs");
}

TEST(CheckTarget, AnswersOtherSpellingsWithTheUrl) {
  const auto message = [](absl::string_view url) { return std::string(CheckTarget(url).message()); };
  EXPECT_THAT(message("filer:/export"), HasSubstr("write nfs://filer/export"));
  EXPECT_THAT(message("//filer/share"), HasSubstr("write smb://filer/share"));
  EXPECT_THAT(message("\\\\filer\\share"), HasSubstr("write smb://filer/share"));
  EXPECT_THAT(message("/mnt/bench"), HasSubstr("write file:///mnt/bench"));
  EXPECT_THAT(message("/dev/sdb"), HasSubstr("write block:///dev/sdb"));
  EXPECT_THAT(message("filer"), HasSubstr("nfs://filer/export"));
}

TEST(CheckTarget, RefusesMalformedUrls) {
  for (const char* url : {"",
                          ":",
                          "://x",
                          "1nfs://x/y",
                          "n fs://x/y",
                          "nfs:",
                          "nfs://",
                          "nfs:///export",
                          "nfs://filer",
                          "nfs://:2049/x",
                          "nfs://filer:0/x",
                          "nfs://filer:65536/x",
                          "nfs://filer:port/x",
                          "nfs://filer:/x",
                          "nfs://fe80::1/x",
                          "nfs://[::1/x",
                          "nfs://[::1]2049/x",
                          "nfs://filer/%",
                          "nfs://filer/%2",
                          "nfs://filer/%zz",
                          "nfs://filer/a\nb",
                          "nfs://filer?x"}) {
    EXPECT_FALSE(CheckTarget(url).ok()) << url;
  }
}

}  // namespace
}  // namespace crest
