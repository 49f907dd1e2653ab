// The same by instructions instead of calls: denormal numbers become zero in one thread, and not in the other.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

static atomic_int turns;
static volatile float small = 1e-38f;

static void take_turns(int flushes) {
  for (int i = 0; i < 4; ++i) {
    atomic_fetch_add(&turns, 1);
    const float denormal = small * 0.1f;
    assert((denormal == 0) == flushes);
  }
}

static void* flush(void* unused) {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  take_turns(1);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, flush, 0);
  take_turns(0);
  pthread_join(other, 0);
  return 0;
}
#else
int main(void) { return 0; }
#endif
