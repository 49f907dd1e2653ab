// What shadow memory keeps of accesses: a cell for every 8 bytes of the program that were accessed, with a record for
// everybody who may still be of interest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/arena.hpp"
#include "graph/event.hpp"

namespace heddle::races {

enum class AccessType : std::uint8_t { plain_read, plain_write, atomic_read, atomic_write };
/// What made the access: allocating and freeing a block count as plain writes to all of it.
enum class AccessCause : std::uint8_t { access, allocation, deallocation };

constexpr bool is_write(AccessType type) { return type == AccessType::plain_write || type == AccessType::atomic_write; }
constexpr bool is_atomic(AccessType type) { return type >= AccessType::atomic_read; }
/// Two accesses of different threads race if they conflict and neither happens before the other.
constexpr bool conflict(AccessType a, AccessType b) {
  return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
}
/// Whatever conflicts with `weaker` conflicts with `stronger` too.
constexpr bool dominates(AccessType stronger, AccessType weaker) {
  // For each of the stronger ones, four bits: which it dominates.
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
  std::uint8_t size = 0;  ///< of the whole access, for reports

  /// The program counter, in six bytes: no processor that we know uses more for programs.
  std::uint64_t site() const { return std::uint64_t{site_high} << 32 | site_low; }
};
static_assert(sizeof(AccessRecord) == 20);

/// The plain accesses of one thread between two of its events, in the bits of a record's first eight bytes. Whether a
/// record is one of them, covers these bytes and conflicts with whatever the access does takes one comparison.
class PlainAccesses {
 public:
  PlainAccesses(graph::ThreadId thread, std::uint32_t index) : key_(std::uint64_t{number(thread)} << 32 | index) {}

  /// The first eight bytes of the record of one of them, see RecordStamp.
  template <AccessType type>
  std::uint64_t first_word(std::uint8_t bytes) const {
    static_assert(type == AccessType::plain_read || type == AccessType::plain_write);
    return key_ | std::uint64_t{bytes} << 48 | static_cast<std::uint64_t>(type) << 56;
  }
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

  std::uint64_t key_;  ///< as in the first eight bytes of their records
};

/// A record, or one that lacks its bytes: what an access tells every cell that it touches. Kept in three words, and
/// written in its place from the start: a copy of what was just written in other pieces would have to wait for them.
class RecordStamp {
 public:
  RecordStamp(AccessType type, AccessCause cause, graph::MemoryOrder order, graph::ThreadId thread, std::uint32_t index,
              std::size_t size, std::uint64_t site, std::uint32_t stack)
      : first_(index | std::uint64_t{number(thread) & 0xffffU} << 32 | static_cast<std::uint64_t>(type) << 56 |
               static_cast<std::uint64_t>(cause) << 58 | static_cast<std::uint64_t>(order) << 60),
        second_(stack | site << 32), third_((static_cast<std::uint32_t>(site >> 32) & 0xffffU) |
                                            static_cast<std::uint32_t>(size < 255 ? size : 255) << 16) {}

  /// Of a plain access to one cell, see PlainAccesses::first_word().
  static RecordStamp of_plain(std::uint64_t first_word, std::uint32_t size, std::uint64_t site, std::uint32_t stack) {
    static_assert(static_cast<int>(AccessCause::access) == 0 && static_cast<int>(graph::MemoryOrder::plain) == 0);
    return {first_word, stack | site << 32, (site >> 32 & 0xffffU) | size << 16};
  }

  /// For functions that take it in registers: word(0) to word(2) of another one.
  RecordStamp(std::uint64_t first, std::uint64_t second, std::uint64_t third)
      : first_(first), second_(second), third_(static_cast<std::uint32_t>(third)) {}
  std::uint64_t word(int i) const { return i == 0 ? first_ : i == 1 ? second_ : third_; }

  /// The record of these bytes.
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
  std::uint64_t first_;   ///< index, thread, bytes, kind: as PlainAccesses knows them
  std::uint64_t second_;  ///< stack, site
  std::uint32_t third_;   ///< the rest of the site, size
};

/// One line of the cache.
struct alignas(64) Cell {
  static constexpr std::size_t inline_records = 2;

  /// Empties it, for this execution.
  void begin(std::uint32_t in_execution) {
    execution = in_execution;
    count = 0;
    has_location = has_object = false;
    more.forget();
  }
  /// The same, with one record.
  void begin(std::uint32_t in_execution, const RecordStamp& record) {
    begin(in_execution);
    count = 1;
    record.write_to(records[0]);
  }

  std::uint32_t execution = 0;
  std::uint16_t count = 0;
  /// An atomic location or a synchronisation object lies here: whoever recycles the memory must forget it.
  bool has_location = false;
  bool has_object = false;
  AccessRecord records[inline_records];
  base::ArenaVector<AccessRecord> more;  ///< of the execution's arena
};
static_assert(sizeof(Cell) == 64);

}  // namespace heddle::races
