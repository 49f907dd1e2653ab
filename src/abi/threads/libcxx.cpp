// Functions of LLVM's C++ library (libc++.so) that synchronise threads by atomic operations of their own. The library
// is not instrumented, so these functions are taken over: std::call_once, the reference counts of std::shared_ptr and
// std::weak_ptr, std::barrier, and the waits of std::atomic, std::latch and the like. What the library does with
// mutexes, condition variables and futexes is known anyway.
//
// The names are those of version 1 of the library's ABI (std::__1), and so are the offsets in objects and in tables of
// virtual functions. Programs with GNU's C++ library call none of them: it has the same operations in its headers.
#include "abi/instrumentation/atomic_operations.hpp"
#include "abi/start/runtime.hpp"
#include "abi/threads/once_call.h"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

constexpr int relaxed = 0, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5;  // as the compilers number them

// ---- std::call_once -----------------------------------------------------------------------------------------

using OnceState = unsigned long;
constexpr OnceState once_complete = ~OnceState{0};

struct OnceCall {
  engine::Engine* engine;
  std::uintptr_t flag;
  std::uint64_t site;
};

void abandon_once(void* data) {
  const auto& call = *static_cast<OnceCall*>(data);
  call.engine->sync().finish_once(call.flag, false, call.site);
}

// ---- reference counts ---------------------------------------------------------------------------------------

/// std::__1::__shared_weak_count, or its base std::__1::__shared_count, which has no weak owners. The numbers are those
/// of owners beside the first one.
struct SharedCount {
  using Method = void (*)(SharedCount*);

  Method* methods;
  long owners;
  long weak_owners;

  void on_zero_shared() { methods[2](this); }
  void on_zero_shared_weak() { methods[4](this); }
};

bool release_shared(SharedCount* count, std::uint64_t site) {
  if (modify(&count->owners, Operation::atomic_add, -1L, acq_rel, site) != 0) return false;
  count->on_zero_shared();
  return true;
}

void release_weak(SharedCount* count, std::uint64_t site) {
  const bool is_last = load(&count->weak_owners, acquire, site) == 0 ||
                       modify(&count->weak_owners, Operation::atomic_add, -1L, acq_rel, site) == 0;
  if (is_last) count->on_zero_shared_weak();
}

// ---- waits of atomics ---------------------------------------------------------------------------------------

// The library counts the threads that wait for an address, and the notifications, in tables of its own.

/// What the library knows of an address that threads wait for: how many notifications there were. What a notifying
/// thread did before happens before what a thread does that has seen the notification.
int monitor(const char* function, const volatile void* address, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->sync().annotate_acquire(address_of(address), site);
  return engine::next_function<int (*)(const volatile void*)>(function)(address);
}

/// The library looks again every two seconds, for safety. A thread that no other thread wakes waits for ever.
void wait(const char* function, const volatile void* address, int known) {
  const auto wait_in_library = engine::next_function<void (*)(const volatile void*, int)>(function);
  engine::Engine* engine = running();
  if (engine == nullptr) return wait_in_library(address, known);
  engine::ProgramThread& self = engine->current();
  self.ignores_futex_time_limit = true;
  wait_in_library(address, known);
  self.ignores_futex_time_limit = false;
}

void notify(const char* function, const volatile void* address, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->sync().annotate_release(address_of(address), site);
  engine::next_function<void (*)(const volatile void*)>(function)(address);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// __call_once(flag, argument, function). std::call_once has loaded the flag, which was not complete.
void _ZNSt3__111__call_onceERVmPvPFvS2_E(volatile OnceState* flag, void* argument, void (*function)(void*)) {
  engine::Engine* engine = running();
  if (engine == nullptr) {
    using CallOnce = void (*)(volatile OnceState*, void*, void (*)(void*));
    return engine::next_function<CallOnce>("_ZNSt3__111__call_onceERVmPvPFvS2_E")(flag, argument, function);
  }
  OnceCall call{engine, address_of(flag), HEDDLE_CALLER};
  if (!engine->sync().begin_once(call.flag, call.site)) return;
  heddle_call_with_cleanup(function, argument, abandon_once, &call);  // the function may throw
  store(flag, once_complete, release, call.site);
  engine->sync().finish_once(call.flag, true, call.site);
}

/// __shared_count::__add_shared and so on.
void _ZNSt3__114__shared_count12__add_sharedEv(SharedCount* count) {
  modify(&count->owners, Operation::atomic_add, 1L, relaxed, HEDDLE_CALLER);
}
bool _ZNSt3__114__shared_count16__release_sharedEv(SharedCount* count) { return release_shared(count, HEDDLE_CALLER); }
void _ZNSt3__119__shared_weak_count12__add_sharedEv(SharedCount* count) {
  modify(&count->owners, Operation::atomic_add, 1L, relaxed, HEDDLE_CALLER);
}
void _ZNSt3__119__shared_weak_count10__add_weakEv(SharedCount* count) {
  modify(&count->weak_owners, Operation::atomic_add, 1L, relaxed, HEDDLE_CALLER);
}
void _ZNSt3__119__shared_weak_count16__release_sharedEv(SharedCount* count) {
  const std::uint64_t site = HEDDLE_CALLER;
  if (release_shared(count, site)) release_weak(count, site);
}
void _ZNSt3__119__shared_weak_count14__release_weakEv(SharedCount* count) { release_weak(count, HEDDLE_CALLER); }
/// __shared_weak_count::lock: one more owner, unless the object is gone.
SharedCount* _ZNSt3__119__shared_weak_count4lockEv(SharedCount* count) {
  const std::uint64_t site = HEDDLE_CALLER;
  for (long owners = load(&count->owners, seq_cst, site); owners != -1;)
    if (compare_exchange(&count->owners, owners, owners + 1, seq_cst, seq_cst, Strength::strong, site)) return count;
  return nullptr;
}

/// __arrive_barrier_algorithm_base(barrier, phase): true for the last thread, which completes the phase. What the
/// others did before they arrived happens before that; the header does the rest.
bool _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(void* barrier, std::uint8_t phase) {
  const auto arrive = engine::next_function<bool (*)(void*, std::uint8_t)>(
      "_ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_"
      "algorithm_baseEh");
  engine::Engine* engine = running();
  if (engine == nullptr) return arrive(barrier, phase);
  const std::uint64_t site = HEDDLE_CALLER;
  engine->sync().annotate_release(address_of(barrier), site);
  if (!arrive(barrier, phase)) return false;
  engine->sync().annotate_acquire(address_of(barrier), site);
  return true;
}

/// __libcpp_atomic_monitor, __libcpp_atomic_wait, __cxx_atomic_notify_one and __cxx_atomic_notify_all, each for
/// addresses of any atomic object, and for those that the kernel can wait for.
int _ZNSt3__123__libcpp_atomic_monitorEPVKv(const volatile void* address) {
  return monitor("_ZNSt3__123__libcpp_atomic_monitorEPVKv", address, HEDDLE_CALLER);
}
void _ZNSt3__120__libcpp_atomic_waitEPVKvi(const volatile void* address, int known) {
  wait("_ZNSt3__120__libcpp_atomic_waitEPVKvi", address, known);
}
void _ZNSt3__123__cxx_atomic_notify_oneEPVKv(const volatile void* address) {
  notify("_ZNSt3__123__cxx_atomic_notify_oneEPVKv", address, HEDDLE_CALLER);
}
void _ZNSt3__123__cxx_atomic_notify_allEPVKv(const volatile void* address) {
  notify("_ZNSt3__123__cxx_atomic_notify_allEPVKv", address, HEDDLE_CALLER);
}
void _ZNSt3__120__libcpp_atomic_waitEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEEi(
    const volatile void* address, int known) {
  wait("_ZNSt3__120__libcpp_atomic_waitEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEEi", address, known);
}
void _ZNSt3__123__cxx_atomic_notify_oneEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEE(
    const volatile void* address) {
  notify("_ZNSt3__123__cxx_atomic_notify_oneEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEE", address,
         HEDDLE_CALLER);
}
void _ZNSt3__123__cxx_atomic_notify_allEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEE(
    const volatile void* address) {
  notify("_ZNSt3__123__cxx_atomic_notify_allEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEE", address,
         HEDDLE_CALLER);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
