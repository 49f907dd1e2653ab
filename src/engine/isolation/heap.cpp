#include "engine/isolation/heap.hpp"

#include <sys/mman.h>

#include <cstring>

#include "base/check.hpp"
#include "base/fast_paths.hpp"
#include "base/hash.hpp"
#include "engine/isolation/address_space.hpp"

namespace heddle::engine {

namespace {

constexpr std::size_t smallest_part = std::size_t{1} << 20;
constexpr std::size_t small_limit = 64 * 1024;
constexpr std::size_t page = 4096;
// Small memory above this much of a part is handed back after an execution instead of kept for the next.
constexpr std::size_t kept_small = 1024 * 1024;
constexpr int fill_pattern = 0xbe;
// How many freed blocks of various sizes are looked at for one that fits.
constexpr int longest_search = 256;

/// Fills a block with the pattern; `size` is a multiple of 16.
void fill(void* block, std::size_t size) {
  constexpr std::size_t few = 64;
  if (size > few) {
    std::memset(block, fill_pattern, size);
    return;
  }
  constexpr std::uint64_t pattern = 0x0101010101010101ULL * fill_pattern;
  auto* word = static_cast<std::uint64_t*>(block);
  for (std::size_t i = 0; i < size / sizeof pattern; ++i) word[i] = pattern;
}

}  // namespace

std::size_t Heap::rounded(std::size_t size) {
  if (size == 0) return 16;
  if (size < small_limit) return (size + 15) & ~std::size_t{15};
  return ((size + 16 + page - 1) & ~(page - 1)) - 16;  // the header makes it whole pages
}

void Heap::initialise(std::uintptr_t address, std::size_t part_size) {
  if (part_size_ != 0) return;
  for (std::size_t part = part_size; part >= smallest_part; part /= 2) {
    const auto memory = reserve_memory_at(reinterpret_cast<void*>(address), part * max_slots);
    if (memory.empty()) continue;
    part_size_ = part;
    part_shift_ = static_cast<unsigned>(__builtin_ctzll(part));
    region_ = {address, address + memory.size()};
    limit_ = ~std::size_t{0};
    return;
  }
  base::check_failed(__FILE__, __LINE__, "mmap", "no address space for the program's heap (ulimit -v?)");
}

Heap::Part& Heap::open_part(std::uint32_t slot) {
  Part& part = parts_[slot];
  if (part.used) return part;
  part.used = true;
  if (slot >= used_slots_) used_slots_ = slot + 1;
  if (part.begin == 0) {
    part.begin = part.small_next = region_.begin + slot * part_size_;
    part.end = part.large_next = part.begin + part_size_;
  }
  return part;
}

void* Heap::allocate(std::uint32_t slot, std::size_t size, std::size_t alignment, std::uint32_t stack,
                     Contents contents) {
  Part& part = open_part(slot);
  if (size > part_size_ || allocated_ + size > limit_) return nullptr;
  const std::size_t capacity = rounded(size);
  Header* header = alignment <= 16 ? take_free(part, capacity) : nullptr;
  const bool recycled = header != nullptr;
  if ((part.withheld & size_bit(capacity)) != 0) missed_reuse_ = true;
  if (header == nullptr) header = carve(part, size, capacity, alignment);
  if (header == nullptr) return nullptr;
  header->size = size;
  header->state = live;
  header->stack = stack;
  allocated_ += size;
  if (size >= small_limit && !recycled) return header + 1;  // zero, and not touched
  if (contents == Contents::zeros)
    std::memset(header + 1, 0, capacity);
  else
    fill(header + 1, capacity);
  return header + 1;
}

/// The free list for blocks of this many bytes. The caller is going to change it.
Heap::Header*& Heap::free_list(Part& part, std::size_t capacity) {
  const std::size_t i = capacity / 16 - 1;
  part.changed_lists |= std::uint64_t{1} << i;
  return part.free_lists[i];
}

Heap::Header* Heap::take_free(Part& part, std::size_t capacity) {
  if (capacity <= size_classes * 16) {
    Header*& first = free_list(part, capacity);
    Header* header = first;
    if (header == nullptr) return nullptr;
    first = next_free(header);
    part.listed_bytes -= capacity;
    return header;
  }
  int tries = longest_search;
  for (Header** link = &part.free_large; *link != nullptr && tries-- != 0; link = &next_free(*link)) {
    Header* header = *link;
    if (rounded(header->size) != capacity) continue;
    *link = next_free(header);
    part.listed_bytes -= capacity;
    return header;
  }
  return nullptr;
}

Heap::Header* Heap::carve(Part& part, std::size_t size, std::size_t capacity, std::size_t alignment) {
  if (size < small_limit && alignment <= 16) {  // most of them
    auto* header = reinterpret_cast<Header*>(part.small_next);
    if (part.large_next - part.small_next < sizeof(Header) + capacity) return nullptr;
    part.small_next += sizeof(Header) + capacity;
    return header;
  }
  const bool large = size >= small_limit;
  if (alignment < 16) alignment = 16;
  const std::size_t room = sizeof(Header) + capacity + (alignment > 16 ? alignment + sizeof(Header) : 0);
  if (part.large_next - part.small_next < room) return nullptr;

  std::uintptr_t begin = part.small_next;
  if (large) begin = part.large_next - ((room + page - 1) & ~(page - 1));
  std::uintptr_t user = (begin + sizeof(Header) + alignment - 1) & ~(alignment - 1);
  const std::uintptr_t gap = user - sizeof(Header) - begin;
  if (gap != 0) *reinterpret_cast<Header*>(begin) = {gap - sizeof(Header), filler, 0};
  if (!large) {
    part.small_next = user + capacity;
  } else {
    const std::uintptr_t after = user + capacity;
    if (after < part.large_next)
      *reinterpret_cast<Header*>(after) = {part.large_next - after - sizeof(Header), filler, 0};
    part.large_next = begin;
  }
  return reinterpret_cast<Header*>(user) - 1;
}

void Heap::put_free(std::uint32_t slot, Header* header) {
  const std::size_t capacity = rounded(header->size);
  const bool has_plenty = parts_[slot].listed_bytes >= quarantine_size;
  Part& part = parts_[has_plenty ? slot_of(reinterpret_cast<std::uintptr_t>(header)) : slot];
  part.listed_bytes += capacity;
  Header*& list = capacity <= size_classes * 16 ? free_list(part, capacity) : part.free_large;
  next_free(header) = list;
  list = header;
}

void Heap::put_waiting(std::uint32_t slot, Header* header) {
  Part& part = parts_[slot];
  Header**& ring = waiting_[slot];
  if (ring == nullptr) {
    constexpr std::size_t size = most_waiting * sizeof(Header*);  // NOLINT(bugprone-sizeof-expression)
    ring = reinterpret_cast<Header**>(reserve_memory(size, size).data());
  }
  while (part.waiting == most_waiting || (part.waiting != 0 && part.waiting_bytes >= quarantine_size)) {
    Header* oldest = ring[part.first_waiting];
    part.first_waiting = (part.first_waiting + 1) % most_waiting;
    --part.waiting;
    part.waiting_bytes -= rounded(oldest->size) + sizeof(Header);
    put_free(slot, oldest);
  }
  ring[(part.first_waiting + part.waiting) % most_waiting] = header;
  ++part.waiting;
  part.waiting_bytes += rounded(header->size) + sizeof(Header);
}

/// A freed block stays as it is for the rest of the execution. Remembers its size for has_missed_reuse().
void Heap::withhold(std::uint32_t slot, std::size_t capacity) { open_part(slot).withheld |= size_bit(capacity); }

void Heap::keep(std::uint32_t slot, Header* header, Reuse reuse) {
  open_part(slot);
  if (reuse == Reuse::at_once)
    put_free(slot, header);
  else
    put_waiting(slot, header);
}

std::size_t Heap::size_of(const void* pointer) const {
  const Header* header = header_of(pointer);
  return header != nullptr && header->state == live ? header->size : 0;
}

std::uint32_t Heap::allocation_stack(const void* pointer) const {
  const Header* header = header_of(pointer);
  return header == nullptr || header->stack == library_reserve ? 0 : header->stack;
}

std::uintptr_t Heap::offset_in_slot(std::uintptr_t address) const {
  return (address - region_.begin) & (part_size_ - 1);
}

Block Heap::find_block(std::uintptr_t address) const {
  if (!region_.contains(address)) return {};
  const Part& part = parts_[slot_of(address)];
  Block found;
  const auto holds = [&](const Header& header) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&header + 1);
    if (header.state == filler || address < begin || address >= begin + rounded(header.size)) return true;
    found = {begin, header.size};
    return false;
  };
  if (address < part.small_next)
    walk(part.begin, part.small_next, holds);
  else if (address >= part.large_next)
    walk(part.large_next, part.end, holds);
  return found;
}

void Heap::take_snapshot(Snapshot& snapshot, base::Arena& arena) {
  const Part& main = parts_[0];
  saved_main_ = main;
  saved_allocated_ = allocated_;
  snapshot.save({main.begin, main.small_next}, arena);
  walk(main.large_next, main.end, [&](const Header& header) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&header);
    const Range block{begin, begin + sizeof(Header) + rounded(header.size)};
    snapshot.save(block, arena,
                  header.stack == library_reserve ? Snapshot::Compare::once_start_written : Snapshot::Compare::always);
    return true;
  });
}

void Heap::clear_free_lists(Part& part, const Part* saved) {
  if (!base::fast_paths) part.changed_lists = ~std::uint64_t{0};
  for (; part.changed_lists != 0; part.changed_lists &= part.changed_lists - 1) {
    const auto i = static_cast<std::size_t>(__builtin_ctzll(part.changed_lists));
    part.free_lists[i] = saved == nullptr ? nullptr : saved->free_lists[i];
  }
}

void Heap::reset() {
  allocated_ = saved_allocated_;
  for (std::uint32_t slot = 0; slot < used_slots_; ++slot) {
    Part& part = parts_[slot];
    if (!part.used) continue;
    const Part* const saved = slot == 0 && saved_main_.used ? &saved_main_ : nullptr;
    const std::uintptr_t kept = part.begin + kept_small;
    if (part.small_next > kept && !(saved != nullptr && saved->small_next > kept))
      ::madvise(reinterpret_cast<void*>(kept), part.small_next - kept, MADV_DONTNEED);
    const std::uintptr_t large_end = saved != nullptr ? saved->large_next : part.end;
    if (part.large_next < large_end)
      ::madvise(reinterpret_cast<void*>(part.large_next), large_end - part.large_next, MADV_DONTNEED);
    part.small_next = saved != nullptr ? saved->small_next : part.begin;
    part.large_next = large_end;
    part.withheld = 0;
    part.used = saved != nullptr;
    part.free_large = saved != nullptr ? saved->free_large : nullptr;
    part.listed_bytes = saved != nullptr ? saved->listed_bytes : 0;
    part.waiting_bytes = saved != nullptr ? saved->waiting_bytes : 0;
    part.first_waiting = saved != nullptr ? saved->first_waiting : 0;
    part.waiting = saved != nullptr ? saved->waiting : 0;
    clear_free_lists(part, saved);
  }
}

std::uint64_t Heap::hash_of_slot(std::uint32_t slot, std::size_t most) const {
  const Part& part = parts_[slot];
  if (!part.used) return 1;
  const std::size_t small = part.small_next - part.begin, large = part.end - part.large_next;
  if (small + large > most) return 0;
  return base::hash_words(base::hash_bytes(reinterpret_cast<const void*>(part.begin), small),
                          base::hash_bytes(reinterpret_cast<const void*>(part.large_next), large), small, large) |
         1;
}

}  // namespace heddle::engine
