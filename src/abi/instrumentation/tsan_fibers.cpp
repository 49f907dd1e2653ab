// The fibers of sanitizer/tsan_interface.h (engine/primitives/program_fibers.hpp), and the barrier of ThreadSanitizer's
// own tests.
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;

constexpr unsigned switch_without_order = 1;  // __tsan_switch_to_fiber_no_sync

/// What stands for fibers outside of executions, where nothing is checked.
char no_fiber = 0;

/// A thread that has arrived waits until so many have as its round needs.
bool round_is_full(const engine::SyncObject& object, const engine::ProgramThread& thread) {
  return object.state.value >= thread.barrier_round;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* __tsan_get_current_fiber() {
  Engine* engine = running();
  return engine == nullptr ? static_cast<void*>(&no_fiber) : &engine->current();
}
void* __tsan_create_fiber(unsigned) {
  Engine* engine = running();
  return engine == nullptr ? static_cast<void*>(&no_fiber) : &engine->fibers().create(HEDDLE_CALLER);
}
void __tsan_destroy_fiber(void* fiber) {
  if (Engine* engine = running())
    if (engine::ProgramThread* known = engine->fibers().find(fiber)) engine->fibers().destroy(*known, HEDDLE_CALLER);
}
void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  if (Engine* engine = running())
    if (engine::ProgramThread* known = engine->fibers().find(fiber))
      engine->fibers().switch_to(*known, (flags & switch_without_order) == 0, HEDDLE_CALLER);
}
void __tsan_set_fiber_name(void*, const char*) {}

// Threads wait for each other, without an order between what they do.
void __tsan_testonly_barrier_init(unsigned long long* barrier, unsigned count) {
  Engine* engine = running();
  if (engine == nullptr) return;
  auto* object = engine->execution_arena().create<engine::SyncObject>();
  object->kind = engine::SyncKind::barrier;
  object->initial = count;
  *barrier = address_of(object);
}
void __tsan_testonly_barrier_wait(unsigned long long* barrier) {
  Engine* engine = running();
  if (engine == nullptr) return;
  if (engine->is_search())
    engine->execution().unsupported(
        "the exhaustive search does not know __tsan_testonly_barrier_wait; use a sampling strategy, such as "
        "--strategy random");
  auto& object = *reinterpret_cast<engine::SyncObject*>(*barrier);
  const std::uint64_t round = static_cast<std::uint64_t>(object.state.value) / object.initial;
  engine->current().barrier_round = (round + 1) * object.initial;
  object.state.value += 1;
  engine->scheduler().reconsider(object);
  engine->scheduler().await(object, round_is_full, graph::EventKind::fence, engine::Operation::barrier_leave,
                            HEDDLE_CALLER);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
