#include "workloads/content.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace crest {
namespace {

constexpr ObjectId kFile(ObjectKind::kFile, 42);

std::string Filled(const Content& content, ObjectId object, uint64_t offset, uint64_t generation, size_t length) {
  std::string buffer(length, '\0');
  content.Fill(object, offset, generation, absl::MakeSpan(buffer));
  return buffer;
}

TEST(ContentTest, AnyPartIsThatPartOfTheWhole) {
  const Content content(1);
  const std::string whole = Filled(content, kFile, 0, 5, 3 * 4096 + 77);
  for (const size_t offset : {0, 1, 7, 8, 4095, 4096, 4099, 9000}) {
    for (const size_t length : {0, 1, 5, 8, 9, 1000, 3200}) {
      ASSERT_EQ(Filled(content, kFile, offset, 5, length), whole.substr(offset, length)) << offset << " " << length;
    }
  }
}

TEST(ContentTest, NoTwoPartsAreAlike) {
  const Content content(1);
  const Content other_seed(2);
  std::set<std::string> parts;
  size_t count = 0;
  const auto add = [&](const std::string& block) {
    for (size_t at = 0; at < block.size(); at += 512, ++count) parts.insert(block.substr(at, 512));
  };
  for (uint64_t i = 0; i < 600; ++i) {  // more blocks than there are in the pool
    add(Filled(content, kFile, i * 4096, 1, 4096));
    add(Filled(content, kFile, 0, i + 2, 4096));
    add(Filled(content, {ObjectKind::kFile, 1000 + i}, 0, 1, 4096));
    add(Filled(other_seed, kFile, i * 4096, 1, 4096));
  }
  EXPECT_EQ(parts.size(), count);
}

TEST(ContentTest, BytesAreEven) {
  const std::string data = Filled(Content(1), kFile, 0, 1, 1 << 20);
  std::vector<int> counts(256);
  for (const char c : data) ++counts[static_cast<unsigned char>(c)];
  // 4,096 expected of each, standard deviation 64.
  for (const int count : counts) EXPECT_NEAR(count, 4096, 6 * 64);
}

}  // namespace
}  // namespace crest
