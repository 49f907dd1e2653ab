// One instruction of the Intel 64 manual (volume 2), while Emulator decodes and executes it.
#pragma once

#include "machine/emulator.hpp"

namespace heddle::machine {

struct Emulator::Instruction {
  explicit Instruction(std::uint64_t counter) : at(counter) {}

  std::uint64_t at;  ///< of the next byte

  unsigned opcode = 0;
  bool operand_16 = false, has_rex = false, wide = false, repeats = false, repeats_not = false;
  unsigned rex_r = 0, rex_x = 0, rex_b = 0;
  unsigned reg = 0;  ///< the register field of ModRM
  unsigned rm = 0;   ///< a register, unless in_memory
  bool in_memory = false;
  Value address;
  unsigned immediate_after = 0;  ///< bytes of the immediate operand, which an address relative to it must skip

  std::uint64_t fetch(unsigned size) {
    std::uint64_t bytes = 0;
    __builtin_memcpy(&bytes, reinterpret_cast<const void*>(at), size);
    at += size;
    return bytes;
  }
  std::uint64_t fetch_signed(unsigned size) { return static_cast<std::uint64_t>(signed_bits(fetch(size), 8 * size)); }
  unsigned bits() const { return wide ? 64 : operand_16 ? 16 : 32; }
  /// Of an instruction whose opcodes come in pairs: the even one is for bytes.
  unsigned bits_by_opcode() const { return (opcode & 1U) == 0 ? 8 : bits(); }
  Value immediate(unsigned bits_of_operand) {
    return {low_bits(fetch_signed(bits_of_operand == 8 ? 1 : bits_of_operand == 16 ? 2 : 4), bits_of_operand), 0};
  }
};

}  // namespace heddle::machine
