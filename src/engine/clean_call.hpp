// Calls into the program with the preserved registers at zero. Code keeps what it finds there until it needs the
// register, so what heddle's own functions left would be a part of what WaitingLoop compares, and with it the number of
// rounds that the exhaustive search follows would depend on how heddle was compiled.
#pragma once

#include <cstdint>

extern "C" std::uint64_t heddle_clean_call(const void* function, std::uint64_t first, std::uint64_t second,
                                           std::uint64_t third);
