// A single thread that reads one location 200,000 times and counts is no livelock, although every iteration reads the
// same value and changes no memory.
// heddle: clean
// heddle-runs: 2
#include <assert.h>
#include <stdatomic.h>

static atomic_int step = 3;

int main(void) {
  long sum = 0;
  for (int i = 0; i < 200000; i++) sum += atomic_load_explicit(&step, memory_order_relaxed);
  assert(sum == 600000);
  return 0;
}
