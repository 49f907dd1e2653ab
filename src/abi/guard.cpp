// Static locals: the C++ ABI's guards. The compiler tests the guard's first byte itself, by an instrumented acquire
// load, and calls here when it is zero; the byte is set by a release store, so that both sides meet in the model.
#include "abi/runtime.hpp"

namespace heddle::abi {

namespace {
constexpr std::uint8_t in_progress = 1;  // second byte, before main
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
  // An execution that finds the byte set, and no trace of who set it, starts after the initialisation.
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
