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

/// What a function that is called may do next.
enum class Calls : std::uint8_t {
  come_back,  ///< it returns, or leaves the calling function as well
  may_throw,  ///< the calling function may catch an exception, in code that may read the register
};

/// Whether what a register that calls preserve holds at `at` has no influence on the program. True: every path from
/// there overwrites the register before it reads it or returns, and before it calls a function that may throw.
bool is_register_dead(std::span<const std::uint8_t> code, std::size_t at, Register number, Calls calls);

}  // namespace heddle::machine
