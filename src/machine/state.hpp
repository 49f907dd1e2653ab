// The state of a thread as machine code sees it: registers, flags and memory. Memory is what the caller provides, under
// the stores that were emulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/instruction.hpp"
#include "machine/terms.hpp"

namespace heddle::machine {

/// The memory of the process outside the stack.
class OuterMemory {
 public:
  /// Copies what is there. Returns false if the address cannot be read.
  virtual bool read(std::uint64_t address, void* to, std::size_t size) const = 0;
  /// Whether the memory has been written since the state was copied from which the emulation starts.
  virtual bool has_changed(std::uint64_t address, std::size_t size) const = 0;
  /// Whether the value at the address is the same in all executions: code, constants, addresses that the loader set.
  virtual bool is_constant(std::uint64_t address) const = 0;
  /// Whether the address holds code of the program, which is emulated.
  virtual bool is_program_code(std::uint64_t address) const = 0;
  /// The registers that are dead where a call returns to (register_use.hpp): a bit for each of `preserved`.
  virtual std::uint32_t dead_registers(std::uint64_t return_address) const = 0;

 protected:
  ~OuterMemory() = default;
};

/// A copy of the used part of a stack, from an address up to the stack's end.
struct StackCopy {
  std::uint64_t floor = 0;  ///< the lowest address that the stack can reach
  std::uint64_t begin = 0;  ///< a multiple of 8, as the end is
  std::span<const std::byte> bytes;

  std::uint64_t end() const { return begin + bytes.size(); }
  /// Whether the stack, copied or not, contains the address.
  bool contains(std::uint64_t address) const { return address >= floor && address < end(); }
};

struct Flags {
  enum class Kind : std::uint8_t {
    unknown,
    known,       ///< as the four members say
    difference,  ///< of a and b
    logic,       ///< of the result a; carry and overflow are clear
    result,      ///< of the result a; carry and overflow are unknown
  };
  Kind kind = Kind::unknown;
  bool carry = false, zero = false, sign = false, overflow = false;
  std::uint8_t bits = 0;
  Value a, b;
};

struct Store {
  std::uint64_t address = 0;
  Value value;
  std::uint32_t size = 0;

  bool contains(std::uint64_t at, std::uint64_t bytes) const { return at >= address && at + bytes <= address + size; }
  bool overlaps(std::uint64_t at, std::uint64_t bytes) const { return at < address + size && address < at + bytes; }
};

/// What a thread announced of its plain accesses.
struct Announcement {
  Value address;
  std::uint32_t size = 0;
  bool is_write = false;
  friend bool operator==(const Announcement&, const Announcement&) = default;
  bool is_same(const Announcement& other) const {
    return address.is_same(other.address) && size == other.size && is_write == other.is_write;
  }
};

struct State {
  static constexpr std::size_t most_stores = 64, most_announcements = 16;

  std::uint64_t counter = 0;  ///< the program counter
  Value general[registers];
  Value vector[registers][2];  ///< the low 128 bits
  Flags flags;
  StackCopy stack;
  Store stores[most_stores];  ///< the newest last
  std::uint32_t store_count = 0;
  Announcement announcements[most_announcements];  ///< since the last atomic operation
  std::uint32_t announcement_count = 0;

  /// Whether one of the stores contains the range.
  bool has_stored(std::uint64_t address, std::uint64_t size) const {
    for (std::uint32_t i = 0; i < store_count; ++i)
      if (stores[i].contains(address, size)) return true;
    return false;
  }
};

}  // namespace heddle::machine
