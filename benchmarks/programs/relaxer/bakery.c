// Lamport's bakery algorithm (A new solution of Dijkstra's concurrent programming problem, 1974) for two threads. Each
// thread enters its critical section three times. Two threads enter together if the store of a number, or of the flag
// that says that a thread is choosing one, reaches memory after later loads of its thread.
// heddle: finds assert
// heddle-options: -m tso -s random --seed 1
#include <assert.h>
#include <pthread.h>

#include "shared.h"

enum { customers = 2, entries = 3 };
static int choosing[customers], number[customers];
static int inside;  // threads in their critical sections

static void critical_section(void) {
  assert(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
  __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

static void take_number(int self) {
  STORE(choosing[self], 1);
  STORE_LOAD_FENCE();
  int highest = 0;
  for (int other = 0; other < customers; ++other) {
    const int taken = LOAD(number[other]);
    if (taken > highest) highest = taken;
  }
  STORE(number[self], highest + 1);
  STORE_LOAD_FENCE();
  STORE(choosing[self], 0);
}

static void wait_for(int other, int self) {
  while (LOAD(choosing[other])) {
  }
  LOAD_LOAD_FENCE();
  const int own = LOAD(number[self]);
  for (;;) {
    const int taken = LOAD(number[other]);
    if (taken == 0 || taken > own || (taken == own && other > self)) return;
  }
}

static void* visit(void* argument) {
  const int self = *(const int*)argument;
  for (int entry = 0; entry < entries; ++entry) {
    take_number(self);
    for (int other = 0; other < customers; ++other)
      if (other != self) wait_for(other, self);
    LOAD_LOAD_FENCE();
    critical_section();
    STORE_STORE_FENCE();
    STORE(number[self], 0);
  }
  return NULL;
}

int main(void) {
  static const int names[customers] = {0, 1};
  pthread_t threads[customers];
  for (int i = 0; i < customers; ++i) pthread_create(&threads[i], NULL, visit, (void*)&names[i]);
  for (int i = 0; i < customers; ++i) pthread_join(threads[i], NULL);
  return 0;
}
