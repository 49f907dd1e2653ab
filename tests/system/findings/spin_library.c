// A lock of its own, for a library that is compiled without heddle.
#include <sched.h>

static int held;

void spin_lock(void) {
  int expected = 0;
  while (!__atomic_compare_exchange_n(&held, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    expected = 0;
    sched_yield();
  }
}
void spin_unlock(void) { __atomic_store_n(&held, 0, __ATOMIC_RELEASE); }

double many_arguments(double a, int b, double c, long d, char e, double f, int g, int h, int i, int j) {
  return a + b + c + (double)d + e + f + g + h + i + j;
}
