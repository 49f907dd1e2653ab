// pthread_cancel and what belongs to it.
#include "abi/threads/cancellation.hpp"

#include <pthread.h>

#include <cerrno>
#include <cstdio>

#include "engine/isolation/real.hpp"

namespace heddle::abi {

using engine::Engine;

void end_cancelled_thread() {
  running()->current().wait_end = engine::WaitEnd::ordinary;
  ::pthread_exit(PTHREAD_CANCELED);
}

void answer_cancellation(Engine& engine) {
  if (engine.signals().begin_cancellation(engine.current())) end_cancelled_thread();
}

#pragma GCC visibility push(default)
extern "C" {

int pthread_cancel(pthread_t handle) {
  Engine* engine = running();
  engine::ProgramThread* thread = engine == nullptr ? nullptr : engine->threads().find(handle);
  if (thread == nullptr) return ESRCH;
  if (const char* end = engine::ThreadTable::end_of_life(*thread)) {
    char message[96];
    std::snprintf(message, sizeof message, "a thread is cancelled %s", end);
    engine->findings().report_at(engine::FindingKind::misuse, message, HEDDLE_CALLER);
    return ESRCH;
  }
  engine->signals().set_end_cancelled(end_cancelled_thread);
  const int error = engine->signals().cancel(*thread, HEDDLE_CALLER);
  // A thread that cancels itself asynchronously does not return.
  if (error == 0 && thread == &engine->current() && thread->cancellation.is_asynchronous) answer_cancellation(*engine);
  return error;
}

void pthread_testcancel() {
  Engine* engine = running();
  if (engine == nullptr) return;
  engine->scheduler().schedule_point(graph::EventKind::fence, graph::MemoryOrder::plain,
                                     engine::Operation::cancellation, graph::no_location, HEDDLE_CALLER);
  at_cancellation_point(*engine, [] { return 0; });
}

int pthread_setcancelstate(int state, int* old) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(int, int*)>("pthread_setcancelstate")(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  engine::Cancellation& cancellation = engine->current().cancellation;
  if (old != nullptr) *old = cancellation.is_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  if (cancellation.is_acting) return 0;
  cancellation.is_disabled = state == PTHREAD_CANCEL_DISABLE;
  engine->signals().update(engine->current());
  if (cancellation.is_asynchronous) answer_cancellation(*engine);
  return 0;
}

int pthread_setcanceltype(int type, int* old) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(int, int*)>("pthread_setcanceltype")(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  engine::Cancellation& cancellation = engine->current().cancellation;
  if (old != nullptr) *old = cancellation.is_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  cancellation.is_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  engine->signals().update(engine->current());
  if (cancellation.is_asynchronous) answer_cancellation(*engine);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
