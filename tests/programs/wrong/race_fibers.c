// Two fibers of one thread, which the program switches without an order between them (flag 1 of
// __tsan_switch_to_fiber), as if they could run on threads of their own: they have a data race.
// heddle: finds race
// heddle-mentions: counter
// heddle-levels: -O0 -O2
#include <stdlib.h>
#include <ucontext.h>

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

enum { stack_size = 64 * 1024, without_order = 1 };

static ucontext_t scheduler, context;
static void* own;
static int counter;

static void run(void) {
  ++counter;
  __tsan_switch_to_fiber(own, without_order);
}

static void run_in_fiber(void) {
  void* fiber = __tsan_create_fiber(0);
  char* stack = malloc(stack_size);
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = stack_size;
  context.uc_link = &scheduler;
  makecontext(&context, run, 0);
  __tsan_switch_to_fiber(fiber, without_order);
  swapcontext(&scheduler, &context);
  free(stack);
}

int main(void) {
  own = __tsan_get_current_fiber();
  run_in_fiber();
  run_in_fiber();
  return 0;
}
