// POSIX threads, keys and pthread_once. The C++ library uses these functions too.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <unwind.h>

#include <cerrno>
#include <cstdio>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/libc/handler_safety.hpp"
#include "abi/start/check.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/system/child_processes.hpp"
#include "abi/threads/cancellation.hpp"
#include "abi/threads/once_call.h"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;

/// Unwinds the stack for pthread_exit, so that destructors run, and ends the thread at the outermost frame.
_Unwind_Reason_Code end_at_bottom(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                                  _Unwind_Context*, void* result) {
  if ((actions & _UA_END_OF_STACK) != 0) running()->thread_calls().finish(result);
  return _URC_NO_REASON;
}

void ignore_exception(_Unwind_Reason_Code, _Unwind_Exception*) {}

struct OnceCall {
  Engine* engine;
  pthread_once_t* once;
  void (*routine)();
  std::uint64_t site;
};

void call_routine(void* data) { static_cast<OnceCall*>(data)->routine(); }

void abandon_once(void* data) {
  auto& call = *static_cast<OnceCall*>(data);
  call.engine->sync().finish_once(address_of(call.once), false, call.site);
}

constexpr pthread_once_t once_done = 2;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- threads ------------------------------------------------------------------------------------------------

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  Engine* engine = running();
  if (engine == nullptr) {
    if (is_main_left_alone()) {
      std::fprintf(stderr,
                   "heddle: a thread is created outside of heddle::check; a program with checks has one thread outside "
                   "of them: put the code into a check, or into a program that is built without heddle\n");
      return EAGAIN;
    }
    if (!is_forked_child()) run_constructors_in_executions("creates a thread");
    return engine::real().pthread_create(thread, attributes, routine, argument);
  }
  check_in_handler("pthread_create", HEDDLE_CALLER);
  int detach = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) ::pthread_attr_getdetachstate(attributes, &detach);
  writes_object(thread, HEDDLE_CALLER);  // before the new thread begins, as the C library does
  *thread = engine->thread_calls().create(detach == PTHREAD_CREATE_DETACHED, routine, argument, HEDDLE_CALLER);
  engine->plain().record_write_for_program(address_of(thread), sizeof *thread);
  return 0;
}

int pthread_join(pthread_t thread, void** result) {
  Engine* engine = running();
  if (engine == nullptr) return EINVAL;
  const std::uint64_t site = HEDDLE_CALLER;
  check_in_handler("pthread_join", site);
  const int error = at_cancellation_point(
      *engine, [&] { return engine->thread_calls().join(thread, result, site, engine::no_deadline, false); });
  if (error == 0 && result != nullptr) {
    engine->plain().record_write_for_program(address_of(result), sizeof *result);
    writes_object(result, site);
  }
  return error;
}
int pthread_tryjoin_np(pthread_t thread, void** result) {
  Engine* engine = running();
  return engine == nullptr ? EINVAL
                           : engine->thread_calls().join(thread, result, HEDDLE_CALLER, engine::no_deadline, true);
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return EINVAL;
  const std::uint64_t site = HEDDLE_CALLER, deadline = virtual_deadline(CLOCK_REALTIME, *time);
  return at_cancellation_point(*engine,
                               [&] { return engine->thread_calls().join(thread, result, site, deadline, false); });
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return EINVAL;
  const std::uint64_t site = HEDDLE_CALLER, deadline = virtual_deadline(clock, *time);
  return at_cancellation_point(*engine,
                               [&] { return engine->thread_calls().join(thread, result, site, deadline, false); });
}
int pthread_detach(pthread_t thread) {
  Engine* engine = running();
  return engine == nullptr ? EINVAL : engine->thread_calls().detach(thread, HEDDLE_CALLER);
}

/// Collectors and interpreters look for the thread's stack: it is that of the fiber.
int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
  Engine* engine = running();
  const engine::ProgramThread* thread = engine == nullptr ? nullptr : engine->threads().find(handle);
  if (thread == nullptr)
    return engine::next_function<int (*)(pthread_t, pthread_attr_t*)>("pthread_getattr_np")(handle, attributes);
  if (const int error = ::pthread_attr_init(attributes)) return error;
  const engine::Range stack = thread->fiber.stack(), guard = thread->fiber.guard();
  ::pthread_attr_setstack(attributes, reinterpret_cast<void*>(guard.end), stack.end - guard.end);
  ::pthread_attr_setguardsize(attributes, guard.size());
  ::pthread_attr_setdetachstate(attributes, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  return 0;
}

// pthread_cleanup_push in code without exceptions: one jump buffer per handler, the innermost last. The code at the
// jump buffer runs the handler and calls __pthread_unwind_next for the next outer handler.
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (Engine* engine = running()) engine->current().cleanup_buffers.push_back(engine->execution_arena(), buffer);
}
void __pthread_unregister_cancel(__pthread_unwind_buf_t*) {
  Engine* engine = running();
  if (engine != nullptr && !engine->current().cleanup_buffers.empty()) engine->current().cleanup_buffers.pop_back();
}
__attribute__((noreturn)) void __pthread_unwind_next(__pthread_unwind_buf_t*) {
  ::pthread_exit(running()->current().result);
}

__attribute__((noreturn)) void pthread_exit(void* result) {
  Engine* engine = running();
  if (engine == nullptr) __builtin_trap();
  engine->current().cancellation.is_disabled = engine->current().cancellation.is_acting = true;
  engine->signals().update(engine->current());
  auto& buffers = engine->current().cleanup_buffers;
  if (!buffers.empty()) {
    auto* buffer = static_cast<__jmp_buf_tag*>(buffers.back());
    buffers.pop_back();
    engine->current().result = result;
    ::siglongjmp(buffer, 1);
  }
  auto* exception = static_cast<_Unwind_Exception*>(
      engine->execution_arena().allocate(sizeof(_Unwind_Exception), alignof(_Unwind_Exception)));
  *exception = {};
  exception->exception_cleanup = ignore_exception;
  _Unwind_ForcedUnwind(exception, end_at_bottom, result);
  engine->thread_calls().finish(result);
}

int sched_yield() {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().sched_yield();
  engine->scheduler().yield(HEDDLE_CALLER);
  return 0;
}
int pthread_yield() { return sched_yield(); }

// ---- once, keys ---------------------------------------------------------------------------------------------

int pthread_once(pthread_once_t* once, void (*routine)()) {
  Engine* engine = running_for_program(HEDDLE_CALLER);
  if (engine == nullptr) {
    if (*once == once_done) return 0;
    *once = once_done;
    routine();
    return 0;
  }
  if (*once == once_done && !engine->sync().knows(address_of(once))) return 0;  // done before main
  const std::uint64_t site = HEDDLE_CALLER;
  if (!engine->sync().begin_once(address_of(once), site)) return 0;
  OnceCall call{engine, once, routine, site};
  heddle_call_with_cleanup(call_routine, &call, abandon_once, &call);  // the routine may throw
  *once = once_done;
  engine->sync().finish_once(address_of(once), true, site);
  return 0;
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  Engine* engine = running();
  if (engine != nullptr) {
    *key = engine->keys().create(destructor);
    return 0;
  }
  const int error = engine::real().pthread_key_create(key, destructor);
  if (error == 0) engine::remember_early_key(*key, destructor);
  return error;
}
int pthread_key_delete(pthread_key_t key) {
  if (Engine* engine = running()) return engine->keys().remove(key);
  engine::forget_early_key(key);
  return engine::real().pthread_key_delete(key);
}
void* pthread_getspecific(pthread_key_t key) {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().pthread_getspecific(key);
  return engine->keys().get(key);
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().pthread_setspecific(key, value);
  return engine->keys().set(key, value);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
