#include "races/shadow.hpp"

namespace heddle::races {

namespace {
std::size_t slot_of(std::uintptr_t number, std::size_t size) {
  return (number * 0x9e3779b97f4a7c15ULL >> 20) & (size - 1);
}
}  // namespace

ShadowMemory::Chunk* ShadowMemory::find(std::uintptr_t number) {
  Chunk* cached = cache_[number % cache_size];
  if (cached != nullptr && cached->number == number) return cached;
  if (table_size_ == 0) return nullptr;
  for (std::size_t slot = slot_of(number, table_size_); table_[slot] != nullptr; slot = (slot + 1) & (table_size_ - 1))
    if (table_[slot]->number == number) return cache_[number % cache_size] = table_[slot];
  return nullptr;
}

ShadowMemory::Chunk* ShadowMemory::find_or_add(std::uintptr_t number) {
  if (chunks_ * 2 >= table_size_) grow_table();
  std::size_t slot = slot_of(number, table_size_);
  while (table_[slot] != nullptr) {
    if (table_[slot]->number == number) return table_[slot];
    slot = (slot + 1) & (table_size_ - 1);
  }
  auto* chunk = forever_->create<Chunk>();
  chunk->number = number;
  table_[slot] = chunk;
  ++chunks_;
  return chunk;
}

void ShadowMemory::grow_table() {
  const std::size_t size = table_size_ == 0 ? 1024 : table_size_ * 2;
  auto table = forever_->create_array<Chunk*>(size);
  for (std::size_t i = 0; i < table_size_; ++i) {
    if (table_[i] == nullptr) continue;
    std::size_t slot = slot_of(table_[i]->number, size);
    while (table[slot] != nullptr) slot = (slot + 1) & (size - 1);
    table[slot] = table_[i];
  }
  table_ = table.data();
  table_size_ = size;
}

}  // namespace heddle::races
