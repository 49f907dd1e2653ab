// Calls into the program with the preserved registers at zero. Code keeps what it finds there until it needs the
// register, so what heddle's own functions left would be a part of what WaitingLoop compares, and with it the number of
// rounds that the exhaustive search follows would depend on how heddle was compiled.
//
// For the same reason the program's frame begins at a multiple of 1,024 bytes (on x86-64): variables on the stack are
// named by their distance from the stack's end, which must not depend on the frames of heddle's own functions.
#pragma once

#include <cstdint>

extern "C" std::uint64_t heddle_clean_call(const void* function, std::uint64_t first, std::uint64_t second,
                                           std::uint64_t third);
