// What a debugger and a replay share (gdb/heddle.py): the debugger sets `target`, and the replay calls `stop`, where
// the debugger has a break point, when it comes to this step. A step is an event of the graph or a plain access,
// from 1.
//
// The debugger reads `step` and `target` at their offsets, because the library may have no debug information.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::engine {

struct DebugState {
  std::uint64_t step = 0;    ///< the newest step
  std::uint64_t target = 0;  ///< stop at this step; 0: nowhere
  void (*stop)() = nullptr;

  void reach(std::uint64_t number) {
    step = number;
    if (number == target && stop != nullptr) stop();
  }
};
static_assert(offsetof(DebugState, step) == 0 && offsetof(DebugState, target) == 8);

}  // namespace heddle::engine
