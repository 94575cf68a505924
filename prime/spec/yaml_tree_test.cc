#include "prime/spec/yaml_tree.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ParseYaml, KnowsThePlaceOfEverything) {
  std::vector<SpecError> errors;
  const YamlNode root = ParseYaml("a: 1\nb:\n  c: [x, \"y\"]\n  d:\n", "f.yaml", errors);
  ASSERT_THAT(errors, IsEmpty());
  EXPECT_EQ(root.Child("a")->place, (Place{"f.yaml", 1, 4}));
  EXPECT_EQ(root.Child("b")->where(), (Place{"f.yaml", 2, 1}));
  const YamlNode& c = *root.Child("b")->Child("c");
  ASSERT_THAT(c.children, SizeIs(2));
  EXPECT_EQ(c.children[1].place, (Place{"f.yaml", 3, 10}));
  EXPECT_TRUE(c.children[0].plain);
  EXPECT_FALSE(c.children[1].plain);
  EXPECT_EQ(root.Child("b")->Child("d")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root.Child("b")->Child("d")->place, (Place{"f.yaml", 4, 3}));
  EXPECT_EQ(root.Child("z"), nullptr);
}

TEST(ParseYaml, CountsColumnsInCharacters) {
  std::vector<SpecError> errors;
  const YamlNode root = ParseYaml("{n: Münchner Straße, x: 1}", "f", errors);
  ASSERT_THAT(errors, IsEmpty());
  EXPECT_EQ(root.Child("n")->scalar, "Münchner Straße");
  EXPECT_EQ(root.Child("x")->place.column, 25);
}

TEST(ParseYaml, ReadsPastAByteOrderMarkAndWindowsLineEnds) {
  std::vector<SpecError> errors;
  const YamlNode root = ParseYaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "f", errors);
  ASSERT_THAT(errors, IsEmpty());
  EXPECT_EQ(root.Child("a")->place, (Place{"f", 1, 4}));
  EXPECT_EQ(root.Child("b")->scalar, "2");
}

TEST(ParseYaml, CopiesWhatAnAliasStandsFor) {
  std::vector<SpecError> errors;
  const YamlNode root = ParseYaml("a: &x {k: v}\nb: *x\n", "f", errors);
  ASSERT_THAT(errors, IsEmpty());
  EXPECT_EQ(root.Child("b")->Child("k")->scalar, "v");
  EXPECT_EQ(root.Child("b")->key, "b");
}

TEST(ParseYaml, BoundsAliasesThatMultiply) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&text, "a", i, ": &a", i, " [");
    for (int j = 0; j < 9; ++j) absl::StrAppend(&text, j == 0 ? "" : ", ", "*a", i - 1);
    absl::StrAppend(&text, "]\n");
  }
  std::vector<SpecError> errors;
  ParseYaml(text, "f", errors);
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0].message, HasSubstr("more than 10,000 values"));
}

TEST(ParseYaml, BoundsDepth) {
  std::vector<SpecError> errors;
  ParseYaml(std::string(100, '['), "f", errors);
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors[0].message, HasSubstr("nested deeper than 32 levels"));
  errors.clear();
  ParseYaml(std::string(100000, '['), "f", errors);
  EXPECT_FALSE(errors.empty());
  // Each alias adds a level, so that few lines would nest deeply.
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i < 50; ++i) absl::StrAppend(&text, "- &a", i, " [*a", i - 1, "]\n");
  errors.clear();
  ParseYaml(text, "f", errors);
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors[0].message, HasSubstr("nested deeper than 32 levels"));
}

TEST(ParseYaml, RefusesAnAliasWithinItself) {
  std::vector<SpecError> errors;
  ParseYaml("a: &x [1, *x]", "f", errors);
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].place.column, 11);
}

TEST(SpecError, IsOneHarmlessLine) {
  const SpecError error{{"a\nb", 2, 3}, "bad \x1b[2J thing\n" + std::string(10000, 'x')};
  EXPECT_THAT(error.ToString(), ::testing::StartsWith("a\\x0ab:2:3: bad \\x1b[2J thing\\x0axxx"));
  EXPECT_LT(error.ToString().size(), 600u);
}

}  // namespace
}  // namespace crest
