#include "agent/service/allow_list.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/engine/registry.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

// Schemes of this test alone, so that it needs no engine.
const EngineType kRemote{.scheme = "testnet"};
const EngineType kLocal{.scheme = "testfile"};
const EngineType kSimulated{.scheme = "testsim", .simulated = true};
const bool kRegistered = RegisterEngine(&kRemote) && RegisterEngine(&kLocal) && RegisterEngine(&kSimulated);

bool Allows(const std::vector<std::string>& prefixes, const std::string& target) {
  const absl::StatusOr<AllowList> list = AllowList::Parse(prefixes);
  EXPECT_TRUE(list.ok()) << list.status();
  return list->Check(target).ok();
}

TEST(AllowListTest, NothingButSimulationWithoutPrefixes) {
  ASSERT_TRUE(kRegistered);
  EXPECT_TRUE(Allows({}, "testsim://?servers=8"));
  EXPECT_FALSE(Allows({}, "testnet://filer/export"));
  EXPECT_FALSE(Allows({}, "testfile:///mnt"));
}

TEST(AllowListTest, WholeComponentsOfThePath) {
  EXPECT_TRUE(Allows({"testnet://filer/export"}, "testnet://filer/export"));
  EXPECT_TRUE(Allows({"testnet://filer/export"}, "testnet://FILER/export/deep//er"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer/export2"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer/"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer/export/../secret"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer/export/%2e%2e/secret"));
  EXPECT_TRUE(Allows({"testnet://filer"}, "testnet://filer/any"));
}

TEST(AllowListTest, SameServer) {
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://other/export"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testfile://filer/export"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer:99/export"));
  EXPECT_FALSE(Allows({"testnet://filer/export"}, "testnet://filer/export?nfsport=99"));
  EXPECT_TRUE(Allows({"testnet://filer/export?nfsport=99"}, "testnet://filer/export?nfsport=99&uid=0"));
  EXPECT_FALSE(Allows({"testnet://filer/export?nfsport=99&uid=7"}, "testnet://filer/export?nfsport=99&uid=0"));
  EXPECT_FALSE(Allows({"testfile:///name?socket=/run/a"}, "testfile:///name?socket=/run/b"));
}

TEST(AllowListTest, LocalPathsAreResolved) {
  std::string folder = absl::StrCat(testing::TempDir(), "/allow_XXXXXX");
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::filesystem::create_directories(folder + "/bench");
  std::filesystem::create_directories(folder + "/secret");
  std::filesystem::create_directory_symlink(folder + "/secret", folder + "/bench/way_out");
  std::filesystem::create_directory_symlink(folder + "/bench", folder + "/alias");
  const std::string bench = absl::StrCat("testfile://", folder, "/bench");
  EXPECT_TRUE(Allows({bench}, bench + "/new/folder"));
  EXPECT_FALSE(Allows({bench}, bench + "/way_out/x"));
  EXPECT_FALSE(Allows({bench}, bench + "/../secret"));
  EXPECT_TRUE(Allows({bench}, absl::StrCat("testfile://", folder, "/alias")));
  EXPECT_TRUE(Allows({folder + "/bench"}, bench));  // a bare path is for every local engine
  EXPECT_FALSE(Allows({folder + "/bench"}, absl::StrCat("testnet://host", folder, "/bench")));
  std::filesystem::remove_all(folder);
}

TEST(AllowListTest, RefusalNamesTheFlag) {
  const absl::StatusOr<AllowList> list = AllowList::Parse({"testnet://a/b"});
  ASSERT_TRUE(list.ok());
  const absl::Status status = list->Check("testnet://filer/export");
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(status.message().find("--allow testnet://filer/export"), absl::string_view::npos) << status;
  EXPECT_NE(status.message().find("--allow testnet://a/b"), absl::string_view::npos) << status;
}

TEST(AllowListTest, BadPrefixes) {
  EXPECT_FALSE(AllowList::Parse({""}).ok());
  EXPECT_FALSE(AllowList::Parse({"no scheme"}).ok());
  EXPECT_FALSE(AllowList::Parse({"/mnt/../etc"}).ok());
  EXPECT_FALSE(AllowList::Parse({"testnet://filer/a/../b"}).ok());
}

TEST(AllowListTest, UnknownSchemeIsRefused) {
  EXPECT_FALSE(Allows({"nosuch://filer/export"}, "nosuch://filer/export"));
}

}  // namespace
}  // namespace crest
