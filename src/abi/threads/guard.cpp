// Guards of static local variables, as the C++ ABI defines them. The compiler tests the guard's first byte with an
// instrumented acquire load, and calls these functions if it is zero. They set the byte with a release store, so that
// the memory model orders the initialisation before later uses.
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {
constexpr std::uint8_t in_progress = 1;  // in the second byte; only used before main
}

#pragma GCC visibility push(default)
extern "C" {

int __cxa_guard_acquire(std::uint8_t* guard) {
  engine::Engine* engine = running();
  if (engine == nullptr) {
    if (guard[0] != 0) return 0;
    guard[1] = in_progress;
    return 1;
  }
  // If the byte is set and the engine has no record of the guard, the initialisation took place before this execution.
  if (guard[0] != 0 && !engine->sync().knows(address_of(guard))) return 0;
  return engine->sync().begin_once(address_of(guard), HEDDLE_CALLER) ? 1 : 0;
}

void __cxa_guard_release(std::uint8_t* guard) {
  engine::Engine* engine = running();
  if (engine == nullptr) {
    guard[0] = 1;
    guard[1] = 0;
    return;
  }
  engine->atomics().store({address_of(guard), 1, graph::MemoryOrder::release, HEDDLE_CALLER}, 1);
  engine->sync().finish_once(address_of(guard), true, HEDDLE_CALLER);
}

void __cxa_guard_abort(std::uint8_t* guard) {
  if (engine::Engine* engine = running())
    engine->sync().finish_once(address_of(guard), false, HEDDLE_CALLER);
  else
    guard[1] = 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
