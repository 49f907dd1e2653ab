// A place in the frame of a function: what debug information needs to name the local variable there.
#pragma once

#include <cstdint>

namespace heddle::channel {

struct FramePlace {
  std::uint64_t pc = 0;         ///< a return address in the function; 0: the frame is not known
  std::int64_t from_cfa = 0;    ///< relative to the canonical frame address: the stack pointer before the call
  std::int64_t from_stack = 0;  ///< relative to the stack pointer in the function

  template <typename Coder>
  void code(Coder& coder) {
    coder("pc", pc)("from_cfa", from_cfa)("from_stack", from_stack);
  }
};

}  // namespace heddle::channel
