// The contents of shadow memory: a cell for every 8 bytes of the program that were accessed. A cell holds a record of
// each access that a later access may still race with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/arena.hpp"
#include "graph/event.hpp"

namespace heddle::races {

enum class AccessType : std::uint8_t { plain_read, plain_write, atomic_read, atomic_write };
/// What caused the access. Allocating and freeing a block count as plain writes to all of it. Operations on a
/// synchronisation object count as atomic reads of its first byte.
enum class AccessCause : std::uint8_t { access, allocation, deallocation, synchronisation };

constexpr bool is_write(AccessType type) { return type == AccessType::plain_write || type == AccessType::atomic_write; }
constexpr bool is_atomic(AccessType type) { return type >= AccessType::atomic_read; }
/// Two accesses of different threads race if they conflict and neither happens before the other.
constexpr bool conflict(AccessType a, AccessType b) {
  return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
}
/// Whether every access that conflicts with `weaker` conflicts with `stronger` too.
constexpr bool dominates(AccessType stronger, AccessType weaker) {
  // Four bits for each type: the types that it dominates.
  constexpr unsigned plain_read = 0b0101, plain_write = 0b1111, atomic_read = 0b0100, atomic_write = 0b1100;
  constexpr unsigned table = plain_read | plain_write << 4 | atomic_read << 8 | atomic_write << 12;
  return (table >> (static_cast<unsigned>(stronger) * 4 + static_cast<unsigned>(weaker)) & 1) != 0;
}

struct AccessRecord {
  std::uint32_t index = 0;  ///< see graph/event.hpp: odd for plain accesses, even for events
  std::uint16_t thread = 0;
  std::uint8_t bytes = 0;  ///< bit i: byte i of the cell
  AccessType type : 2 = AccessType::plain_read;
  AccessCause cause : 2 = AccessCause::access;
  graph::MemoryOrder order : 4 = graph::MemoryOrder::plain;
  std::uint32_t stack = 0;  ///< interned call stack
  std::uint32_t site_low = 0;
  std::uint16_t site_high = 0;
  std::uint16_t size = 0;  ///< of the whole access, for reports; largest_size: that or more
  static constexpr std::uint16_t largest_size = 0xffff;

  /// The program counter. Six bytes are enough: x86-64 and AArch64 have user addresses of at most 48 bits.
  std::uint64_t site() const { return std::uint64_t{site_high} << 32 | site_low; }
};
static_assert(sizeof(AccessRecord) == 20);

/// The plain accesses of one thread between two of its events, as the bits that their records have in their first eight
/// bytes. One comparison tells whether a record is one of them, covers given bytes and dominates a given type.
class PlainAccesses {
 public:
  PlainAccesses(graph::ThreadId thread, std::uint32_t index) : key_(std::uint64_t{number(thread)} << 32 | index) {}

  /// The first eight bytes of the record of such an access, in the layout of RecordStamp.
  template <AccessType type>
  std::uint64_t first_word(std::uint8_t bytes) const {
    static_assert(type == AccessType::plain_read || type == AccessType::plain_write);
    return key_ | std::uint64_t{bytes} << 48 | static_cast<std::uint64_t>(type) << 56;
  }
  /// Whether `record` is one of these accesses, covers `bytes` and dominates `type`.
  template <AccessType type>
  bool include(const AccessRecord& record, std::uint8_t bytes) const {
    std::uint64_t bits;
    std::memcpy(&bits, &record, sizeof bits);
    const std::uint64_t matters =
        std::uint64_t{bytes} << 48 | (is_write(type) ? all_but_bytes : all_but_bytes & ~write);
    return ((bits ^ first_word<type>(bytes)) & matters) == 0;
  }

 private:
  static constexpr std::uint64_t all_but_bytes = ~(std::uint64_t{0xff} << 48);
  static constexpr std::uint64_t write = std::uint64_t{1} << 56;

  std::uint64_t key_;  ///< index and thread, where a record has them
};

/// The value of a record, with or without its set of bytes: an access leaves it in every cell that it touches. It is
/// kept in three words and written as three words. A copy of an AccessRecord that was just written field by field would
/// have to wait for the store buffer, since the processor cannot forward several stores to one load.
class RecordStamp {
 public:
  RecordStamp(AccessType type, AccessCause cause, graph::MemoryOrder order, graph::ThreadId thread, std::uint32_t index,
              std::size_t size, std::uint64_t site, std::uint32_t stack)
      : first_(index | std::uint64_t{number(thread) & 0xffffU} << 32 | static_cast<std::uint64_t>(type) << 56 |
               static_cast<std::uint64_t>(cause) << 58 | static_cast<std::uint64_t>(order) << 60),
        second_(stack | site << 32),
        third_((static_cast<std::uint32_t>(site >> 32) & 0xffffU) |
               static_cast<std::uint32_t>(size < AccessRecord::largest_size ? size : AccessRecord::largest_size)
                   << 16) {}

  /// The stamp of a plain access to one cell. `first_word` comes from PlainAccesses::first_word().
  static RecordStamp of_plain(std::uint64_t first_word, std::uint32_t size, std::uint64_t site, std::uint32_t stack) {
    static_assert(static_cast<int>(AccessCause::access) == 0 && static_cast<int>(graph::MemoryOrder::plain) == 0);
    return {first_word, stack | site << 32, (site >> 32 & 0xffffU) | size << 16};
  }

  /// Rebuilds a stamp from word(0) to word(2), for functions that take it in registers.
  RecordStamp(std::uint64_t first, std::uint64_t second, std::uint64_t third)
      : first_(first), second_(second), third_(static_cast<std::uint32_t>(third)) {}
  std::uint64_t word(int i) const { return i == 0 ? first_ : i == 1 ? second_ : third_; }

  /// This stamp with its set of bytes.
  RecordStamp of(std::uint8_t bytes) const { return {first_ | std::uint64_t{bytes} << 48, second_, third_}; }

  std::uint8_t bytes() const { return static_cast<std::uint8_t>(first_ >> 48); }
  AccessType type() const { return static_cast<AccessType>(first_ >> 56 & 3); }
  AccessCause cause() const { return static_cast<AccessCause>(first_ >> 58 & 3); }
  std::uint16_t thread() const { return static_cast<std::uint16_t>(first_ >> 32); }
  std::uint32_t index() const { return static_cast<std::uint32_t>(first_); }

  void write_to(AccessRecord& record) const {
    auto* at = reinterpret_cast<std::byte*>(&record);
    std::memcpy(at, &first_, sizeof first_);
    std::memcpy(at + 8, &second_, sizeof second_);
    std::memcpy(at + 16, &third_, sizeof third_);
  }

 private:
  std::uint64_t first_;   ///< index, thread, bytes, kind: the layout that PlainAccesses uses
  std::uint64_t second_;  ///< stack, site
  std::uint32_t third_;   ///< the rest of the site, size
};

/// The records of 8 bytes of the program. A cell fills one cache line.
struct alignas(64) Cell {
  static constexpr std::size_t inline_records = 2;

  /// Empties the cell for this execution.
  void begin(std::uint32_t in_execution) {
    execution = in_execution;
    count = 0;
    has_location = has_object = false;
    more.forget();
  }
  /// Empties the cell for this execution and adds one record.
  void begin(std::uint32_t in_execution, const RecordStamp& record) {
    begin(in_execution);
    count = 1;
    record.write_to(records[0]);
  }

  std::uint32_t execution = 0;
  std::uint16_t count = 0;
  /// An atomic location or a synchronisation object lies here. It must be forgotten when the memory is recycled.
  bool has_location = false;
  bool has_object = false;
  AccessRecord records[inline_records];
  base::ArenaVector<AccessRecord> more;  ///< in the execution's arena
};
static_assert(sizeof(Cell) == 64);

}  // namespace heddle::races
