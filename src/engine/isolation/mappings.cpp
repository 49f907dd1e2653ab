#include "engine/isolation/mappings.hpp"

namespace heddle::engine {

namespace {
constexpr std::size_t page = 4096;
}  // namespace

void Mappings::begin_execution() {
  mappings_.forget();
  for (; windows_ != 0; --windows_) {
    std::size_t& used = used_[windows_ - 1];
    if (used != 0) unmap_memory(region.begin + (windows_ - 1) * window_size, used);
    used = 0;
  }
}

std::uintptr_t Mappings::take_address(std::uint32_t place, std::size_t size) {
  if (size == 0 || size > window_size) return 0;
  const std::size_t needed = ((size + page - 1) & ~(page - 1)) + page;  // a page that is not mapped comes after each
  std::size_t& used = used_[place];
  if (needed > window_size - used) return 0;
  if (place >= windows_) windows_ = place + 1;
  const std::uintptr_t address = region.begin + place * window_size + used;
  used += needed;
  return address;
}

void Mappings::remove(Range range) {
  range.end = (range.end + page - 1) & ~(page - 1);
  for (Mapping& mapping : mappings_) {
    if (range.begin <= mapping.range.begin && range.end >= mapping.range.end)
      mapping = {};
    else if (range.begin <= mapping.range.begin && range.end > mapping.range.begin)
      mapping.range.begin = range.end;
    else if (range.begin < mapping.range.end && range.end >= mapping.range.end)
      mapping.range.end = range.begin;
  }
}

const Mapping* Mappings::find(std::uintptr_t address) const {
  for (const Mapping& mapping : mappings_)
    if (mapping.range.contains(address)) return &mapping;
  return nullptr;
}

const Mapping* Mappings::find_shared(const SharedBytes& bytes) const {
  for (const Mapping& mapping : mappings_) {
    const SharedBytes& other = mapping.bytes;
    if (mapping.is_shared && other.device == bytes.device && other.inode == bytes.inode &&
        other.range.begin < bytes.range.end && bytes.range.begin < other.range.end)
      return &mapping;
  }
  return nullptr;
}

}  // namespace heddle::engine
