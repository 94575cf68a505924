#include "agent/engine/parameters.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using testing::HasSubstr;

std::string Checked(const std::string& url) {
  const absl::StatusOr<Target> target = ParseTarget(url);
  EXPECT_TRUE(target.ok()) << target.status();
  return std::string(CheckParameterNames(*target, {"nfsport", "mountport", "uid"}).message());
}

TEST(ParametersTest, KnownOnesPass) {
  EXPECT_EQ(Checked("nfs://h/e"), "");
  EXPECT_EQ(Checked("nfs://h/e?uid=0&nfsport=1"), "");
}

TEST(ParametersTest, NamesTheNearest) {
  EXPECT_THAT(Checked("nfs://h/e?nfs-port=1"), HasSubstr("did you mean nfsport?"));
  EXPECT_THAT(Checked("nfs://h/e?Mountport=1"), HasSubstr("did you mean mountport?"));
  EXPECT_THAT(Checked("nfs://h/e?gid=1"), HasSubstr("did you mean uid?"));
}

TEST(ParametersTest, NamesAllWhereNoneIsNear) {
  EXPECT_THAT(Checked("nfs://h/e?readonly=1"), HasSubstr("known are nfsport, mountport, uid"));
}

}  // namespace
}  // namespace crest
