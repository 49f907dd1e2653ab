// Where a debugger stops a replay: gdb/heddle.py has a break point at heddle_debug_stop.
#include "abi/start/debug_points.hpp"

namespace heddle::abi {

#pragma GCC visibility push(default)
extern "C" [[gnu::noinline, gnu::used]] void heddle_debug_stop() {
  asm volatile("");  // so that the call is not left out
}

extern "C" {
[[gnu::used]] engine::DebugState heddle_debug_state{0, 0, heddle_debug_stop};
}
#pragma GCC visibility pop

}  // namespace heddle::abi
