#include "agent/engines/nfs/handle_table.h"

#include <cstring>

namespace crest::nfs {

char* HandleTable::At(uint32_t place) const {
  constexpr uint32_t kUnitsInChunk = kChunkBytes / kUnit;
  return chunks_[place / kUnitsInChunk].get() + place % kUnitsInChunk * kUnit;
}

HandleView HandleTable::Find(ObjectId object) const {
  const auto found = places_.find(object);
  if (found == places_.end()) return {};
  const char* record = At(found->second);
  return {record + 1, static_cast<unsigned char>(record[0])};
}

void HandleTable::Put(ObjectId object, HandleView handle) {
  if (handle.empty() || handle.size() > kMaxHandle) return;
  const HandleView old = Find(object);
  if (old == handle) return;
  Erase(object);
  const uint32_t place = Allocate(UnitsOf(handle.size()));
  char* record = At(place);
  record[0] = static_cast<char>(handle.size());
  std::memcpy(record + 1, handle.data(), handle.size());
  places_.emplace(object, place);
}

void HandleTable::Erase(ObjectId object) {
  const auto found = places_.find(object);
  if (found == places_.end()) return;
  free_[UnitsOf(static_cast<unsigned char>(At(found->second)[0]))].push_back(found->second);
  places_.erase(found);
}

uint32_t HandleTable::Allocate(size_t units) {
  std::vector<uint32_t>& free = free_[units];
  if (!free.empty()) {
    const uint32_t place = free.back();
    free.pop_back();
    return place;
  }
  if (used_in_last_ + units * kUnit > kChunkBytes) {
    chunks_.push_back(std::make_unique<char[]>(kChunkBytes));
    used_in_last_ = 0;
  }
  const size_t at = (chunks_.size() - 1) * kChunkBytes + used_in_last_;
  used_in_last_ += units * kUnit;
  return static_cast<uint32_t>(at / kUnit);
}

}  // namespace crest::nfs
