#include "workloads/content.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "workloads/key.h"

namespace crest {
namespace {

constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kPoolBlocks = 256;  // 1 MiB: stays in a CPU's cache

static_assert(std::endian::native == std::endian::little, "content would differ between machines");

// XORs `length` bytes of a pool block from place `within` on with the key's bytes, which repeat every eight.
void Combine(const char* source, uint64_t key, uint64_t within, size_t length, char* buffer) {
  const uint64_t turned = within % 8 == 0 ? key : std::rotr(key, static_cast<int>(within % 8 * 8));
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, source + at, sizeof(word));
    word ^= turned;
    std::memcpy(buffer + at, &word, sizeof(word));
  }
  for (size_t rest = at; rest < length; ++rest) {
    buffer[rest] = static_cast<char>(source[rest] ^ static_cast<char>(turned >> (rest - at) * 8));
  }
}

}  // namespace

Content::Content(uint64_t seed) : seed_(seed), pool_(new char[kPoolBlocks * kBlockBytes]) {
  Random random(KeyFor(KeyUse::kContent, seed));
  for (uint64_t at = 0; at < kPoolBlocks * kBlockBytes; at += sizeof(uint64_t)) {
    const uint64_t word = random.Next();
    std::memcpy(&pool_[at], &word, sizeof(word));
  }
}

void Content::Fill(ObjectId object, uint64_t offset, uint64_t generation, absl::Span<char> buffer) const {
  const uint64_t key = KeyFor(KeyUse::kContent, seed_, object.value, generation);
  size_t filled = 0;
  while (filled < buffer.size()) {
    const uint64_t position = offset + filled;
    const uint64_t within = position % kBlockBytes;
    const size_t length = std::min<uint64_t>(kBlockBytes - within, buffer.size() - filled);
    const uint64_t block_key = ExtendKey(key, position / kBlockBytes);
    const char* source = &pool_[block_key % kPoolBlocks * kBlockBytes];
    Combine(source + within, block_key, within, length, &buffer[filled]);
    filled += length;
  }
}

}  // namespace crest
