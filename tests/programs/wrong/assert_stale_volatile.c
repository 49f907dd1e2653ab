// A reader of two volatile variables, which sees the newer one and then an old value of the other.
// heddle: finds assert
// heddle-options: --volatile=relaxed
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>

static volatile long data;
static volatile char is_ready;

static void* write_both(void* unused) {
  data = 1;
  data = 2;
  is_ready = 1;
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_both, NULL);
  while (!is_ready) {
  }
  const long seen = data, again = data;
  assert(seen <= again);  // coherence holds
  assert(seen == 2);
  pthread_join(writer, NULL);
  assert(data == 2);
  return 0;
}
