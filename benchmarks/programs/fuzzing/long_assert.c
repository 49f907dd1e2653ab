// Listing 5.1 of the thesis: one thread must not read 0 from x and then 1, 2, ... from y, while N threads, which
// another thread starts, count y up. LAST is the last value that the assertion names: 5 in the listing, N in
// figures 5.12 and 5.13.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 20000
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif
#ifndef LAST
#define LAST 5
#endif

static atomic_int x, y;

static void* thread_0(void* unused) {
  x = 42;
  return unused;
}

static void* thread_1(void* unused) {
  assert(x != 0 || y != 1 || y != 2 || y != 3 || y != 4 || y != 5 || (LAST > 5 && y != 6) || (LAST > 6 && y != 7) ||
         (LAST > 7 && y != 8) || (LAST > 8 && y != 9));
  return unused;
}

static void* thread_n(void* unused) {
  atomic_fetch_add(&y, 1);
  return unused;
}

static void* thread_2(void* unused) {
  pthread_t t[N];
  for (int i = 0; i < N; ++i) pthread_create(&t[i], NULL, thread_n, NULL);
  for (int i = 0; i < N; ++i) pthread_join(t[i], NULL);
  atomic_fetch_add(&x, 1);
  return unused;
}

int main(void) {
  pthread_t t0, t1, t2;
  pthread_create(&t0, NULL, thread_0, NULL);
  pthread_create(&t1, NULL, thread_1, NULL);
  pthread_create(&t2, NULL, thread_2, NULL);
  pthread_join(t0, NULL);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
}
