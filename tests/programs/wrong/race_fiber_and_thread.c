// A fiber and another thread use a variable without a lock. The fiber's switches order it with its own thread only.
// heddle: finds race
// heddle-mentions: shared
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

enum { stack_size = 64 * 1024 };

static ucontext_t scheduler, context;
static void* own;
static int shared;

static void run(void) {
  ++shared;
  __tsan_switch_to_fiber(own, 0);
}

static void* work(void* unused) {
  ++shared;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  own = __tsan_get_current_fiber();
  void* fiber = __tsan_create_fiber(0);
  char* stack = malloc(stack_size);
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = stack_size;
  context.uc_link = &scheduler;
  makecontext(&context, run, 0);
  __tsan_switch_to_fiber(fiber, 0);
  swapcontext(&scheduler, &context);
  __tsan_destroy_fiber(fiber);
  free(stack);
  pthread_join(thread, NULL);
  return 0;
}
