// Accesses of one instrumented function that the compiler does not announce, found in its machine code.
//
//   - A struct of more than 16 bytes that is passed by value: its words are read from memory one after the other,
//   without
//     a call of the instrumentation in between. Compilers announce each access of the source by a call of its own, or
//     all bytes by a call for a range.
//   - A write to a variable whose address the function never computes: only inline assembly has such writes, since the
//     compiler would pass the address to the instrumentation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/instruction.hpp"

namespace heddle::engine {

/// Reads of neighbouring words without a call in between.
class WordsInARow {
 public:
  /// A call ends the row. `announces_range`: what follows may read any number of bytes.
  void call(bool announces_range) {
    is_covered_ = announces_range;
    size_ = 0;
  }
  void jump() { size_ = 0; }
  /// The memory is neither the stack nor constant.
  void read(const machine::MemoryOperand& memory, std::int64_t displacement, std::int64_t bytes) {
    if (memory.index != machine::no_register || bytes <= 0) return;
    const bool is_next =
        size_ != 0 && memory.base == base_ && (displacement == begin_ + size_ || displacement + bytes == begin_);
    if (!is_next) {
      base_ = memory.base;
      begin_ = displacement;
      size_ = 0;
    }
    if (displacement < begin_) begin_ = displacement;
    size_ += bytes;
    if (size_ > most_of_registers && !is_covered_) is_struct_ = true;
  }
  /// A string operation that copies.
  void copy() { is_struct_ |= !is_covered_; }
  void written(machine::RegisterSet registers) {
    if (base_ != machine::no_register && (registers & machine::bit_of(base_)) != 0) size_ = 0;
  }
  bool is_struct() const { return is_struct_; }

 private:
  // Smaller structs are passed in registers.
  static constexpr std::int64_t most_of_registers = 16;
  std::uint8_t base_ = machine::no_register;
  std::int64_t begin_ = 0, size_ = 0;
  bool is_covered_ = false, is_struct_ = false;
};

/// The addresses of variables that a function computes.
class ComputedAddresses {
 public:
  /// An address goes to the register in the set.
  void load(std::uintptr_t address, machine::RegisterSet to) {
    add(address);
    set(address, to);
  }
  /// The address in a register, if it is known, plus an offset.
  void load_from(std::uint8_t base, std::uintptr_t offset, machine::RegisterSet to) {
    const std::uintptr_t address = base < registers ? held_[base] : 0;
    address != 0 ? load(address + offset, to) : forget(to);
  }
  void forget(machine::RegisterSet written) { set(0, written); }
  void add(std::uintptr_t address) {
    if (count_ < most)
      addresses_[count_++] = address;
    else
      has_all_ = false;
  }
  /// Whether an announcement may be for the address: compilers find neighbours from one address.
  bool may_announce(std::uintptr_t address) const {
    if (!has_all_) return true;
    for (std::size_t i = 0; i < count_; ++i)
      if (address - addresses_[i] + largest_offset < 2 * largest_offset) return true;
    return false;
  }

 private:
  void set(std::uintptr_t address, machine::RegisterSet to) {
    for (std::uint8_t i = 0; i < registers; ++i)
      if ((to & machine::bit_of(i)) != 0) held_[i] = address;
  }

  static constexpr std::uint8_t registers = 16;
  static constexpr std::size_t most = 128;
  static constexpr std::uintptr_t largest_offset = 256;
  std::uintptr_t addresses_[most] = {};
  std::uintptr_t held_[registers] = {};  ///< by the registers; 0: not known
  std::size_t count_ = 0;
  bool has_all_ = true;
};

}  // namespace heddle::engine
