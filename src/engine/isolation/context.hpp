// Jumping from one stack to another. What a fiber needs of its context is what the calling convention preserves, and
// how it computes with floating-point numbers, where the program can see that (engine/isolation/float_modes.hpp).
#pragma once

#include <cstddef>

namespace heddle::engine {

/// What a jump delivers: the context that it left, to jump back to, and the data that was passed along.
struct Arrival {
  void* from;
  void* data;
};

extern "C" {

/// Continues the context `to`, which becomes invalid. Returns when another context jumps back.
Arrival heddle_jump(void* to, void* data);

/// Jumps save MXCSR, too, from now on and from every place that they left before: to be set before the first one.
extern bool heddle_saves_float_modes;
}

/// A place to jump to, on an empty stack that ends at `top`: `entry` is called there, and must not return.
void* make_context(std::byte* top, std::size_t size, void (*entry)(Arrival));

}  // namespace heddle::engine
