// The decoder of x86-64 instructions. It is the only one. (Searches for patterns of bytes do not decode, such as that
// for changes of the rounding mode, or the search for calls in src/orders.)
//
//   opcodes.hpp      the table: which opcodes there are, and what they do
//   opcode_row.hpp   the notation of the table
//   decoder.cpp      prefixes, ModRM, immediate operands; finds the row and fills in an Instruction
//   instruction.hpp  what decode() returns
//
// The users, and what each does with an instruction that the table does not know:
//
//   emulator.hpp     executes instructions on values that may be unknown; refuses
//   register_use.hpp whether a register is read before it is overwritten; takes every register for read
//   frame_use.hpp    the same for the bytes of a frame; takes every byte for read
//   the engine       looks for code without instrumentation, and for inline assembly with locks; skips the function
//
// The decoder never guesses. tests/unit/decoder_comparison.cpp compares it with another disassembler, and
// tests/unit/emulator_test.cpp the emulator with the processor.
#pragma once

#include <optional>
#include <span>

#include "machine/instruction.hpp"

namespace heddle::machine {

/// The instruction at the begin of the code. Reads no byte behind it. Nothing: the length is not known, or the code
/// ends before the instruction does.
std::optional<Instruction> decode(std::span<const std::uint8_t> code);

/// Calls between libraries go through a jump to an address in memory. Returns how far behind the begin of the code the
/// slot is that such a jump reads. Nothing: the code does not begin with such a jump.
std::optional<std::int64_t> linkage_slot(std::span<const std::uint8_t> code);

}  // namespace heddle::machine
