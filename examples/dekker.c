// Dekker's mutual exclusion, whole and right: relaxed accesses, ordered by fences alone.
// Heddle says: nothing, in any execution (ThreadSanitizer, which does not know fences, reports a race every time).
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2], turn;
static int visits;

static int load(atomic_int* a) { return atomic_load_explicit(a, memory_order_relaxed); }
static void store(atomic_int* a, int value) { atomic_store_explicit(a, value, memory_order_relaxed); }

static void enter(int me) {
  store(&wants[me], 1);
  atomic_thread_fence(memory_order_seq_cst);  // (1) my flag first, then a look at the other's; pairs with itself
  while (load(&wants[1 - me])) {
    if (load(&turn) == me) continue;
    store(&wants[me], 0);  // after you
    while (load(&turn) != me) {
    }
    store(&wants[me], 1);
    atomic_thread_fence(memory_order_seq_cst);  // (1) again
  }
  atomic_thread_fence(memory_order_acquire);  // (2) pairs with (3)
}

static void leave(int me) {
  store(&turn, 1 - me);
  atomic_thread_fence(memory_order_release);  // (3) pairs with (2)
  store(&wants[me], 0);
}

static void* visit(void* argument) {
  const int me = *(const int*)argument;
  enter(me);
  visits++;
  leave(me);
  return NULL;
}

int main(void) {
  static const int names[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visit, (void*)&names[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(visits == 2);
  return 0;
}
