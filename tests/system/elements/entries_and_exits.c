// Two threads announce themselves in an array, and look for the other one, for two places in a loop.
#include "threads.h"

static atomic_int wants[2][2];
static int inside[2][2];

static void* enter(void* argument) {
  long me = (long)argument;
  for (int place = 0; place < 2; place++) {
    atomic_store_explicit(&wants[place][me], 1, memory_order_release);                       // needs seq_cst
    inside[place][me] = !atomic_load_explicit(&wants[place][1 - me], memory_order_acquire);  // needs seq_cst
  }
  return argument;
}
int main(void) {
  RUN(enter, enter);
  for (int place = 0; place < 2; place++) assert(!inside[place][0] || !inside[place][1]);
}
