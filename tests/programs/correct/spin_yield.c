// A thread waits for a flag with sched_yield, another with the processor's pause instruction, a third without either.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static int payload;
static atomic_int ready;

static void pause_once(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void* yields(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  assert(payload == 1);
  return unused;
}

static void* pauses(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_acquire)) pause_once();
  assert(payload == 1);
  return unused;
}

static void* spins(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
  }
  atomic_thread_fence(memory_order_acquire);
  assert(payload == 1);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, yields, NULL);
  pthread_create(&threads[1], NULL, pauses, NULL);
  pthread_create(&threads[2], NULL, spins, NULL);
  payload = 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
