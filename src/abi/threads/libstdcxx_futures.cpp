// std::promise::set_value_at_thread_exit and the like, in GNU's C++ library. At the end of the thread, code inside
// libstdc++.so, which is not instrumented, makes the future ready. What it does is done here first, by operations that
// the memory model knows; then the library's code finds nothing left to do.
//
// The offsets are those of the library's ABI, which does not change.
#include <cstddef>

#include "abi/instrumentation/atomic_operations.hpp"
#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

constexpr int relaxed = 0, release = 3, acq_rel = 4;  // as the compilers number them

/// std::_Sp_counted_base.
struct SharedCount {
  using Method = void (*)(SharedCount*);

  Method* methods;
  int owners;
  int weak_owners;  ///< and one for all owners

  void dispose() { methods[2](this); }
  void destroy() { methods[3](this); }
};

/// std::__future_base::_State_baseV2.
struct FutureState {
  void* methods;
  void* result;
  unsigned status;  ///< std::__atomic_futex_unsigned
};
constexpr unsigned ready = 1, has_waiters = 0x80000000U;

/// std::__future_base::_State_baseV2::_Make_ready, an element of the list of what a thread does at its end.
struct MakeReady {
  MakeReady* next;
  void (*run)(void*);
  FutureState* state;  ///< std::weak_ptr
  SharedCount* count;
};

void (*run_of_library)(void*) = nullptr;

/// One more owner, unless the state is gone.
bool lock(SharedCount* count, std::uint64_t site) {
  for (int owners = load(&count->owners, relaxed, site); owners != 0;)
    if (compare_exchange(&count->owners, owners, owners + 1, acq_rel, relaxed, Strength::strong, site)) return true;
  return false;
}

void release_weak(SharedCount* count, std::uint64_t site) {
  if (modify(&count->weak_owners, Operation::atomic_add, -1, acq_rel, site) == 1) count->destroy();
}

void release_shared(SharedCount* count, std::uint64_t site) {
  if (modify(&count->owners, Operation::atomic_add, -1, acq_rel, site) != 1) return;
  count->dispose();
  release_weak(count, site);
}

void make_ready(void* element) {
  const MakeReady made = *static_cast<MakeReady*>(element);
  engine::Engine* engine = running();
  const std::uint64_t site = engine == nullptr ? 0 : engine->current().site;
  if (engine == nullptr || made.count == nullptr || !lock(made.count, site)) return run_of_library(element);
  if ((modify(&made.state->status, Operation::atomic_exchange, ready, release, site) & has_waiters) != 0)
    engine->sync().wake_futex(address_of(&made.state->status), ~0U, site);
  run_of_library(element);  // it takes and gives back a reference, and gives back the weak one
  __atomic_fetch_add(&made.count->weak_owners, 1, __ATOMIC_RELAXED);
  release_weak(made.count, site);
  release_shared(made.count, site);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// _Make_ready::_M_set: the current thread makes the future ready at its end.
void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* element) {
  using Set = void (*)(MakeReady*);
  engine::next_function<Set>("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv")(element);
  if (running() == nullptr) return;
  run_of_library = element->run;
  element->run = make_ready;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
