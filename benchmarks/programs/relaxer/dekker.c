// Dekker's algorithm for mutual exclusion of two threads, as in figure 11 of the paper. Each thread enters its critical
// section three times. A store to a flag may stay in the store buffer while its thread reads the other flag: then both
// threads enter. Of the fences, those between the stores at the end keep `turn` right for a thread that runs alone.
// heddle: finds assert
// heddle-also: livelock
// heddle-options: -m tso -s random --seed 1
#include <assert.h>
#include <pthread.h>

#include "shared.h"

enum { entries = 3 };
static int flag0, flag1, turn;
static int inside;  // threads in their critical sections

static void critical_section(void) {
  assert(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
  __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

static void* thread0(void* unused) {
  for (int entry = 0; entry < entries; ++entry) {
    STORE(flag0, 1);
    STORE_LOAD_FENCE();
    while (LOAD(flag1)) {
      if (LOAD(turn)) {
        STORE(flag0, 0);
        while (LOAD(turn)) {
        }
        STORE(flag0, 1);
        STORE_LOAD_FENCE();
      }
    }
    LOAD_LOAD_FENCE();
    critical_section();
    STORE_STORE_FENCE();
    STORE(turn, 1);
    STORE_STORE_FENCE();
    STORE(flag0, 0);
  }
  return unused;
}

static void* thread1(void* unused) {
  for (int entry = 0; entry < entries; ++entry) {
    STORE(flag1, 1);
    STORE_LOAD_FENCE();
    while (LOAD(flag0)) {
      if (!LOAD(turn)) {
        STORE(flag1, 0);
        while (!LOAD(turn)) {
        }
        STORE(flag1, 1);
        STORE_LOAD_FENCE();
      }
    }
    LOAD_LOAD_FENCE();
    critical_section();
    STORE_STORE_FENCE();
    STORE(turn, 0);
    STORE_STORE_FENCE();
    STORE(flag1, 0);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, thread0, NULL);
  pthread_create(&threads[1], NULL, thread1, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
