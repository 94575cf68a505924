#include "agent/engines/nfs/handle_table.h"

#include <map>
#include <string>

#include "base/random.h"
#include "gtest/gtest.h"

namespace crest::nfs {
namespace {

ObjectId File(uint64_t number) { return {ObjectKind::kFile, number}; }

std::string Found(const HandleTable& table, ObjectId object) {
  const HandleView view = table.Find(object);
  return std::string(view.data(), view.size());
}

TEST(HandleTableTest, KeepsHandlesOfAllLengths) {
  HandleTable table;
  for (uint64_t length = 1; length <= kMaxHandle; ++length) {
    table.Put(File(length), std::string(length, static_cast<char>(length)));
  }
  for (uint64_t length = 1; length <= kMaxHandle; ++length) {
    EXPECT_EQ(Found(table, File(length)), std::string(length, static_cast<char>(length)));
  }
  EXPECT_TRUE(table.Find(File(1000)).empty());
}

TEST(HandleTableTest, IgnoresWhatIsNoHandle) {
  HandleTable table;
  table.Put(File(1), {});
  table.Put(File(2), std::string(kMaxHandle + 1, 'x'));
  EXPECT_EQ(table.size(), 0u);
}

TEST(HandleTableTest, PuttingItsOwnHandleIsHarmless) {
  HandleTable table;
  table.Put(File(1), std::string("handle"));
  table.Put(File(1), table.Find(File(1)));
  EXPECT_EQ(Found(table, File(1)), "handle");
}

TEST(HandleTableTest, AgreesWithAMapOverManyChanges) {
  HandleTable table;
  std::map<uint64_t, std::string> expected;
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t number = random.Below(500);
    if (random.Below(3) == 0) {
      table.Erase(File(number));
      expected.erase(number);
    } else {
      std::string handle(1 + random.Below(kMaxHandle), static_cast<char>(random.Next()));
      table.Put(File(number), handle);
      expected[number] = handle;
    }
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& [number, handle] : expected) EXPECT_EQ(Found(table, File(number)), handle);
  // What is erased is used again: 500 handles of 72 bytes at most, in chunks of 256 KiB, however sizes are mixed.
  EXPECT_LE(table.store_bytes(), size_t{2} << 20);
}

TEST(HandleTableTest, HundredsOfThousandsFitIntoTensOfMegabytes) {
  HandleTable table;
  constexpr uint64_t kFiles = 300'000;
  for (uint64_t number = 0; number < kFiles; ++number) {
    std::string handle(64, 'h');
    handle.replace(0, 8, reinterpret_cast<const char*>(&number), 8);
    table.Put(File(number), handle);
  }
  EXPECT_LE(table.store_bytes(), size_t{24} << 20);
  EXPECT_EQ(table.size(), kFiles);
  EXPECT_EQ(table.Find(File(kFiles - 1)).size(), 64u);
}

}  // namespace
}  // namespace crest::nfs
