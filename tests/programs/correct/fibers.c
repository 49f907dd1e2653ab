// Fibers that the program switches with swapcontext and announces to ThreadSanitizer. Two fibers of one thread pass a
// value to each other; the switches order what they do. A third fiber moves from one thread to another, with its own
// variables and a lock between the two threads; the values of keys stay with the threads.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);

enum { stack_size = 64 * 1024 };

struct fiber {
  ucontext_t context;
  void* handle;
  char* stack;
};

static struct fiber scheduler, first, second, traveller;
static int value, steps;

static void make(struct fiber* fiber, void (*function)(void), struct fiber* next) {
  fiber->handle = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber->handle, "worker");
  fiber->stack = malloc(stack_size);
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = stack_size;
  fiber->context.uc_link = &next->context;
  makecontext(&fiber->context, function, 0);
}
static void finish(struct fiber* fiber) {
  __tsan_destroy_fiber(fiber->handle);
  free(fiber->stack);
}
static void switch_to(struct fiber* from, struct fiber* to) {
  __tsan_switch_to_fiber(to->handle, 0);
  swapcontext(&from->context, &to->context);
}

static void run_first(void) {
  for (int i = 0; i < 3; ++i) {
    value = 2 * i;
    switch_to(&first, &second);
    assert(value == 2 * i + 1);
  }
  __tsan_switch_to_fiber(scheduler.handle, 0);  // uc_link
}
static void run_second(void) {
  for (;;) {
    ++value;
    ++steps;
    switch_to(&second, &first);
  }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static struct fiber* resumer;
static int is_parked;

static void run_traveller(void) {
  int local = 1;
  assert(pthread_getspecific(key) == &scheduler);
  struct fiber* from = resumer;
  switch_to(&traveller, from);
  ++local;
  assert(local == 2 && pthread_getspecific(key) == NULL);
  value = local;
  __tsan_switch_to_fiber(resumer->handle, 0);
  setcontext(&resumer->context);
}

static void* resume(void* unused) {
  struct fiber own = {.handle = __tsan_get_current_fiber()};
  pthread_mutex_lock(&mutex);
  while (!is_parked) pthread_cond_wait(&ready, &mutex);
  resumer = &own;
  switch_to(&own, &traveller);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  scheduler.handle = __tsan_get_current_fiber();
  make(&first, run_first, &scheduler);
  make(&second, run_second, &scheduler);
  switch_to(&scheduler, &first);
  assert(value == 5 && steps == 3);
  finish(&first);
  finish(&second);

  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &scheduler);
  pthread_t other;
  pthread_create(&other, NULL, resume, NULL);
  make(&traveller, run_traveller, &scheduler);
  pthread_mutex_lock(&mutex);
  resumer = &scheduler;
  switch_to(&scheduler, &traveller);
  is_parked = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
  assert(value == 2);
  finish(&traveller);
  return 0;
}
