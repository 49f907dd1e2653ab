// Whether code looks at what a register holds. The x86-64 code is read, not run.
#pragma once

#include <cstdint>
#include <span>

#include "machine/instruction.hpp"

namespace heddle::machine {

/// Whether a program looks at what a function has returned. `code` is the code that contains the call, `at` the offset
/// of the instruction behind it. True: every path from there overwrites the register of the result, or calls a function
/// of another module, before it reads the register. False: it reads it, or that cannot be ruled out, because an
/// instruction is not known or the function returns.
bool is_result_unused(std::span<const std::uint8_t> code, std::size_t at);

/// Whether what a register that calls preserve holds at `at` has no influence on the program. True: every path from
/// there overwrites the register before it reads it, calls a function or returns. A function that is called may throw
/// an exception, and the code that catches it may read the register.
bool is_register_dead(std::span<const std::uint8_t> code, std::size_t at, Register number);

}  // namespace heddle::machine
