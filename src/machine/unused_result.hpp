// Whether a program looks at what a function has returned. The x86-64 code that follows the call is read, not run.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::machine {

/// `code` is the code that contains the call, `at` the offset of the instruction behind it. True: every path from there
/// overwrites the register of the result, or calls a function of another module, before it reads the register. False:
/// it reads it, or that cannot be ruled out, because an instruction is not known or the function returns.
bool is_result_unused(std::span<const std::uint8_t> code, std::size_t at);

}  // namespace heddle::machine
