// Which bytes of a function's frame are dead where a call returns to: every path from there overwrites them before it
// reads them, or leaves the function. For functions as compilers make them without optimisation, which address their
// variables by rbp. Their frames are full of old values.
//
// Code elsewhere cannot read such a byte: the frame is not used above an address that the function takes, and calls
// inside the frame use rbp and what is below it. (A function that setjmp returns to twice may read variables that it
// wrote in between only if they are volatile, which are no such bytes: no path around a loop only writes them.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::machine {

struct DeadBytes {
  static constexpr std::size_t most = 16;
  /// From `frame - begin` on, `size` bytes; `frame` is the value of rbp.
  struct Run {
    std::uint16_t begin = 0, size = 0;
  };
  Run runs[most];  ///< by address
  std::size_t count = 0;
  /// False: rbp is not known to be the frame's address.
  bool has_frame = false;
};

/// `code` is that of the whole function, `at` where the call returns to. The function catches no exceptions.
DeadBytes find_dead_bytes(std::span<const std::uint8_t> code, std::size_t at);

}  // namespace heddle::machine
