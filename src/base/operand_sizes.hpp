// The operand sizes for which the compilers' ABI has one entry point each. C++ cannot make the name of an extern "C"
// function from a template argument, so the files with such entry points write each of them once, as a line of a macro
// that takes the size, and apply it to this list.
#pragma once

#include <cstdint>

// DEFINE(bytes, bits, unsigned type of that size)
#define HEDDLE_FOR_EACH_SIZE(DEFINE) \
  DEFINE(1, 8, std::uint8_t)         \
  HEDDLE_FOR_EACH_SIZE_ABOVE_1(DEFINE)

#define HEDDLE_FOR_EACH_SIZE_ABOVE_1(DEFINE) \
  DEFINE(2, 16, std::uint16_t)               \
  DEFINE(4, 32, std::uint32_t)               \
  DEFINE(8, 64, std::uint64_t)               \
  DEFINE(16, 128, unsigned __int128)
