#include "bare_runtime.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/random.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace bare {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t stack_size = 256 * 1024;

struct Thread {
  context::fcontext_t where = nullptr;
  std::byte* stack = nullptr;
  std::uintptr_t thread_pointer = 0;
  pthread_t handle = 0;
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool done = false;
};

// Behind one pointer, so that bringing the program's variables back leaves it alone.
struct State {
  std::vector<Thread*> slots;  // kept over executions
  std::vector<Thread*> alive;
  std::size_t used = 0;
  Thread* current = nullptr;
  Thread root;
  heddle::base::Random random{1};
  Counts counts;
};
State* state = nullptr;  // static objects of the program may come before

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

void* park(void* at) {
  static_cast<volatile Thread*>(at)->thread_pointer = heddle::engine::thread_pointer();
  for (;;) pause();
}

Thread* take_slot() {
  if (state->used == state->slots.size()) {
    auto* thread = new Thread;
    thread->stack = static_cast<std::byte*>(
        mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (state->used == 0) {
      thread->thread_pointer = heddle::engine::thread_pointer();
      thread->handle = pthread_self();
    } else {
      const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
      create(&thread->handle, nullptr, park, thread);
      while (static_cast<volatile Thread*>(thread)->thread_pointer == 0) {
      }
    }
    state->slots.push_back(thread);
  }
  Thread* thread = state->slots[state->used++];
  thread->done = false;
  return thread;
}

struct Passage {
  context::fcontext_t* left;
};

void switch_to(Thread& to) {
  Thread& from = *state->current;
  state->current = &to;
  if (from.thread_pointer != to.thread_pointer) heddle::engine::set_thread_pointer(to.thread_pointer);
  Passage passage{&from.where};
  const context::transfer_t back = context::jump_fcontext(to.where, &passage);
  *static_cast<Passage*>(back.data)->left = back.fctx;
}

void any() {
  Thread& next = *state->alive[state->random.below(state->alive.size())];
  if (&next != state->current) switch_to(next);
}

void end_thread() {
  Thread& self = *state->current;
  ++state->counts.visible;
  self.done = true;
  for (std::size_t i = 0; i < state->alive.size(); ++i)
    if (state->alive[i] == &self) {
      state->alive[i] = state->alive.back();
      state->alive.pop_back();
      break;
    }
  switch_to(self.handle == state->slots[0]->handle ? state->root : *state->alive[0]);
}

void bottom(context::transfer_t from) {
  *static_cast<Passage*>(from.data)->left = from.fctx;
  Thread& self = *state->current;
  self.result = self.routine(self.argument);
  end_thread();
}

Thread* begin_thread(void* (*routine)(void*), void* argument) {
  Thread* thread = take_slot();
  thread->routine = routine;
  thread->argument = argument;
  thread->where = context::make_fcontext(thread->stack + stack_size, stack_size, bottom);
  state->alive.push_back(thread);
  return thread;
}

struct Body {
  void (*function)(void*);
  void* argument;
};
void* call_body(void* data) {
  const auto* body = static_cast<Body*>(data);
  body->function(body->argument);
  return nullptr;
}

}  // namespace

void visible() {
  if (state == nullptr || state->current == nullptr) return;
  ++state->counts.visible;
  any();
}
void plain() {
  if (state != nullptr) ++state->counts.plain;
}

void run(std::uint64_t executions, void (*function)(void*), void* argument, void (*reset)()) {
  Body body{function, argument};
  if (state == nullptr) state = new State;
  state->root.thread_pointer = heddle::engine::thread_pointer();
  for (std::uint64_t i = 0; i < executions; ++i) {
    state->used = 0;
    state->alive.clear();
    state->random = heddle::base::Random(1, i);
    Thread* main = begin_thread(call_body, &body);
    state->current = &state->root;
    switch_to(*main);
    state->current = nullptr;
    if (reset != nullptr) reset();
  }
}

const Counts& counts() { return state->counts; }

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

namespace {
void* bounce(void*) {
  for (;;) switch_to(*state->slots[0]);
}
void measure_bounces(void* out) {
  constexpr int times = 200000;
  Thread* other = begin_thread(bounce, nullptr);
  const double begin = now();
  for (int i = 0; i < times; ++i) switch_to(*other);
  *static_cast<double*>(out) = (now() - begin) * 1e9 / times;
}
}  // namespace

double round_trip() {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    double measured = 0;
    run(1, measure_bounces, &measured);
    if (measured < best) best = measured;
  }
  return best;
}

Thread* find(pthread_t handle) {
  for (Thread* thread : state->slots)
    if (thread->handle == handle) return thread;
  return nullptr;
}

}  // namespace bare

// ---- the entry points that the programs need ------------------------------------------------------------------

using bare::plain;
using bare::visible;

template <typename T>
static T apply(volatile T* at, T value) {
  visible();
  const T old = *at;
  *at = value;
  return old;
}

#define HEDDLE_BARE_ATOMICS(BITS, T)                                                        \
  T __tsan_atomic##BITS##_load(const volatile T* a, int) { return visible(), *a; }          \
  void __tsan_atomic##BITS##_store(volatile T* a, T v, int) { apply<T>(a, v); }             \
  T __tsan_atomic##BITS##_exchange(volatile T* a, T v, int) { return apply<T>(a, v); }      \
  T __tsan_atomic##BITS##_fetch_add(volatile T* a, T v, int) {                              \
    visible();                                                                              \
    const T old = *a;                                                                       \
    *a = static_cast<T>(old + v);                                                           \
    return old;                                                                             \
  }                                                                                         \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* a, T v, int o) {                            \
    return __tsan_atomic##BITS##_fetch_add(a, static_cast<T>(-v), o);                       \
  }                                                                                         \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* a, T* e, T v, int, int) {   \
    visible();                                                                              \
    const T old = *a;                                                                       \
    if (old == *e) return *a = v, 1;                                                        \
    return *e = old, 0;                                                                     \
  }                                                                                         \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* a, T* e, T v, int o, int f) { \
    return __tsan_atomic##BITS##_compare_exchange_strong(a, e, v, o, f);                    \
  }                                                                                         \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* a, T e, T v, int o, int f) {     \
    return __tsan_atomic##BITS##_compare_exchange_strong(a, &e, v, o, f), e;                \
  }

extern "C" {

HEDDLE_BARE_ATOMICS(8, std::uint8_t)
HEDDLE_BARE_ATOMICS(16, std::uint16_t)
HEDDLE_BARE_ATOMICS(32, std::uint32_t)
HEDDLE_BARE_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) { visible(); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __tsan_read1(void*) { plain(); }
void __tsan_read2(void*) { plain(); }
void __tsan_read4(void*) { plain(); }
void __tsan_read8(void*) { plain(); }
void __tsan_read16(void*) { plain(); }
void __tsan_write1(void*) { plain(); }
void __tsan_write2(void*) { plain(); }
void __tsan_write4(void*) { plain(); }
void __tsan_write8(void*) { plain(); }
void __tsan_write16(void*) { plain(); }
void __tsan_read_range(void*, unsigned long) { plain(); }
void __tsan_write_range(void*, unsigned long) { plain(); }
void __tsan_vptr_update(void**, void*) { plain(); }
void __tsan_vptr_read(void**) { plain(); }

int pthread_create(pthread_t* handle, const pthread_attr_t*, void* (*routine)(void*), void* argument) {
  visible();
  *handle = bare::begin_thread(routine, argument)->handle;
  return 0;
}
int pthread_join(pthread_t handle, void** result) {
  bare::Thread* thread = bare::find(handle);
  visible();
  while (!thread->done) bare::any();
  if (result != nullptr) *result = thread->result;
  return 0;
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  visible();
  while (mutex->__data.__lock != 0) bare::any();
  mutex->__data.__lock = 1;
  return 0;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  visible();
  mutex->__data.__lock = 0;
  return 0;
}
int sched_yield() {
  visible();
  return 0;
}

}  // extern "C"
