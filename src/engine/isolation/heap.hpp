// The program's heap: an arena at a fixed address, one part a thread. An address depends only on what its
// thread allocated and freed before, never on the interleaving, so that a prefix of a graph replays under
// another schedule. For the same reason a freed block goes to the free list of the thread that freed it. If that list
// is long, the block returns to the thread that allocated it: otherwise a thread that allocates what another thread
// frees would take more and more memory.
//
// A part has two ends: small blocks grow upwards from its begin, large ones (from 64 KiB) downwards from its
// end. After an execution large blocks are handed back to the system, which makes them zero again; small ones
// are filled with a pattern when they are allocated. So what uninitialised memory holds is the same every time.
//
// Blocks lie side by side, each behind its header, so either end can be walked from header to header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/isolation/address_space.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/isolation/snapshot.hpp"

namespace heddle::engine {

struct Block {
  std::uintptr_t address = 0;
  std::size_t size = 0;
};

enum class FreeResult : std::uint8_t { freed, not_a_block, already_free };

/// When a freed block may be handed out again.
enum class Reuse : std::uint8_t {
  at_once,  ///< what ABA bugs need
  late,     ///< after its thread has freed `quarantine_size` more bytes: memory stays bounded, uses after free show
  never,
};

class Heap {
 public:
  /// Slots that have a part of their own; thread slots beyond are not supported.
  static constexpr std::uint32_t max_slots = 1024;
  static constexpr std::size_t quarantine_size = std::size_t{512} << 10;
  /// Stands for a call stack: the block is the C++ library's reserve for exceptions. Its first bytes tell whether the
  /// library uses any of it, see Snapshot::Compare.
  static constexpr std::uint32_t library_reserve = 0xffffffffU;

  static constexpr std::size_t largest_part = std::size_t{16} << 30;
  /// Reserves the address space, with parts of at most `part_size`, a power of two. Idempotent, and usable before
  /// anything else is.
  void initialise(std::uintptr_t address = layout::program_heap, std::size_t part_size = largest_part);

  /// What an allocated block holds. Large blocks of the pattern are zero, too, unless they were in use before.
  enum class Contents : std::uint8_t { pattern, zeros };
  /// Null if the part or the limit is exhausted. Alignment is a power of two.
  void* allocate(std::uint32_t slot, std::size_t size, std::size_t alignment, std::uint32_t stack,
                 Contents contents = Contents::pattern);
  /// The block stays readable as it is until it may be handed out again. Before a block is freed, visit(size).
  FreeResult release(std::uint32_t slot, void* pointer, Reuse reuse) {
    return release(slot, pointer, reuse, [](std::size_t) {});
  }
  template <typename Visitor>
  FreeResult release(std::uint32_t slot, void* pointer, Reuse reuse, Visitor visit);
  /// Size that was asked for; 0 if `pointer` is not the start of a live block.
  std::size_t size_of(const void* pointer) const;
  std::uint32_t allocation_stack(const void* pointer) const;

  /// A hash of all blocks of the slot. 0: they have more bytes than this.
  std::uint64_t hash_of_slot(std::uint32_t slot, std::size_t most) const;

  bool contains(const void* address) const { return region_.contains(reinterpret_cast<std::uintptr_t>(address)); }
  /// The block, live or freed, that holds this address; size 0 if none does.
  Block find_block(std::uintptr_t address) const;
  /// Which slot's part an address lies in, and how far into it.
  std::uint32_t slot_of(std::uintptr_t address) const;
  std::uintptr_t offset_in_slot(std::uintptr_t address) const;

  /// From now on, reset() and then snapshot.restore() bring the heap back to what it is at this moment.
  void take_snapshot(Snapshot& snapshot, base::Arena& arena);
  void reset();

  /// True if a block with Reuse::never would have been handed out again.
  bool has_missed_reuse() const { return missed_reuse_; }
  void forget_missed_reuse() { missed_reuse_ = false; }

  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t allocated() const { return allocated_; }

  /// Calls visit(Block, allocation stack) for every live block that is not part of the snapshot.
  template <typename Visitor>
  void for_each_live(Visitor visit) const;

 private:
  static constexpr std::size_t size_classes = 64;  // 16, 32, ... 1024 bytes
  static constexpr std::uint32_t live = 0x6c697665, freed = 0x66726565, filler = 0x66696c6c;

  struct Header {
    std::size_t size;
    std::uint32_t state;
    std::uint32_t stack;
  };
  struct Part {
    std::uintptr_t begin = 0, end = 0;  ///< 0: no block was ever allocated here
    std::uintptr_t small_next = 0;      ///< small blocks are in [begin, small_next)
    std::uintptr_t large_next = 0;      ///< large blocks are in [large_next, end)
    Header* free_lists[size_classes] = {};
    Header* free_large = nullptr;
    std::size_t listed_bytes = 0;  ///< in those lists
    bool used = false;
    // Freed blocks that are not to be handed out yet: a ring, the oldest first.
    std::size_t waiting_bytes = 0;
    std::uint32_t first_waiting = 0, waiting = 0;
    std::uint64_t changed_lists = 0;  ///< bit i: free_lists[i], since the last reset
    std::uint64_t withheld = 0;       ///< by size_bit(): sizes of freed blocks with Reuse::never
  };
  /// As many as the smallest blocks, with their headers, that make up the quarantine.
  static constexpr std::uint32_t most_waiting = quarantine_size / 32;
  /// A free block's first bytes hold the next one of its list.
  static Header*& next_free(Header* header) { return *reinterpret_cast<Header**>(header + 1); }

  static std::size_t rounded(std::size_t size);
  static Header*& free_list(Part& part, std::size_t capacity);
  /// One bit for each size class; large blocks share the last one.
  static std::uint64_t size_bit(std::size_t capacity) {
    return std::uint64_t{1} << (capacity < size_classes * 16 ? capacity / 16 : size_classes - 1);
  }
  /// The slot's part, which is going to be used.
  Part& open_part(std::uint32_t slot);
  static void clear_free_lists(Part& part, const Part* saved);
  Header* header_of(const void* pointer) const;
  Header* take_free(Part& part, std::size_t capacity);
  Header* carve(Part& part, std::size_t size, std::size_t capacity, std::size_t alignment);
  void put_free(std::uint32_t slot, Header* header);
  void put_waiting(std::uint32_t slot, Header* header);
  /// Puts a freed block where a later allocation finds it.
  void keep(std::uint32_t slot, Header* header, Reuse reuse);
  void withhold(std::uint32_t slot, std::size_t capacity);
  /// Calls visit(header) for every header in [at, end) until it returns false or the headers make no sense.
  template <typename Visitor>
  static void walk(std::uintptr_t at, std::uintptr_t end, Visitor visit);

  // All members are zero at first, so a heap takes no room in the library's file, and no memory for unused parts.
  Range region_;
  std::size_t part_size_ = 0;  ///< a power of two
  unsigned part_shift_ = 0;    ///< which
  Part parts_[max_slots];
  Header** waiting_[max_slots] = {};  ///< most_waiting for each slot that ever needed them
  Part saved_main_;
  std::size_t limit_ = 0;  ///< initialise() sets none
  std::size_t allocated_ = 0;
  std::size_t saved_allocated_ = 0;
  std::uint32_t used_slots_ = 0;  ///< slots below this may have been used
  bool missed_reuse_ = false;
};

inline std::uint32_t Heap::slot_of(std::uintptr_t address) const {
  return static_cast<std::uint32_t>((address - region_.begin) >> part_shift_);
}

inline Heap::Header* Heap::header_of(const void* pointer) const {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  if (!region_.contains(at) || at % 16 != 0) return nullptr;
  const Part& part = parts_[slot_of(at)];
  if (part.begin == 0 || at < part.begin + sizeof(Header) || (at >= part.small_next && at < part.large_next))
    return nullptr;
  auto* header = reinterpret_cast<Header*>(at) - 1;
  return header->state == live || header->state == freed ? header : nullptr;
}

template <typename Visitor>
FreeResult Heap::release(std::uint32_t slot, void* pointer, Reuse reuse, Visitor visit) {
  Header* header = header_of(pointer);
  if (header == nullptr) return FreeResult::not_a_block;
  if (header->state == freed) return FreeResult::already_free;
  visit(header->size);
  header->state = freed;
  allocated_ -= header->size;
  if (reuse != Reuse::never)
    keep(slot, header, reuse);
  else
    withhold(slot, rounded(header->size));
  return FreeResult::freed;
}

template <typename Visitor>
void Heap::walk(std::uintptr_t at, std::uintptr_t end, Visitor visit) {
  while (at + sizeof(Header) <= end) {
    const auto* header = reinterpret_cast<const Header*>(at);
    if (header->state != live && header->state != freed && header->state != filler) return;
    if (!visit(*header)) return;
    at += sizeof(Header) + rounded(header->size);
  }
}

template <typename Visitor>
void Heap::for_each_live(Visitor visit) const {
  const auto visit_live = [&](const Header& header) {
    if (header.state == live) visit(Block{reinterpret_cast<std::uintptr_t>(&header + 1), header.size}, header.stack);
    return true;
  };
  for (std::uint32_t slot = 0; slot < used_slots_; ++slot) {
    const Part& part = parts_[slot];
    if (!part.used) continue;
    const bool has_saved = slot == 0 && saved_main_.used;
    walk(has_saved ? saved_main_.small_next : part.begin, part.small_next, visit_live);
    walk(part.large_next, has_saved ? saved_main_.large_next : part.end, visit_live);
  }
}

}  // namespace heddle::engine
