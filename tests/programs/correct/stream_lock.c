// flockfile is a recursive lock for each stream: it protects data, a thread that is switched away may hold it, and a
// thread that holds it may print. It is also known before main, where there is one thread.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static FILE* file;
static int count, tried;

__attribute__((constructor)) static void lock_before_main(void) { flockfile(stderr); }

static void* work(void* unused) {
  flockfile(stdout);
  sched_yield();
  flockfile(stdout);
  ++count;
  putchar_unlocked('.');
  putchar('.');
  funlockfile(stdout);
  sched_yield();
  ++count;
  funlockfile(stdout);
  while (ftrylockfile(file) != 0) sched_yield();
  ++tried;
  assert(ftrylockfile(file) == 0);
  funlockfile(file);
  funlockfile(file);
  return unused;
}

int main(void) {
  funlockfile(stderr);
  flockfile(stderr);
  fputs("main", stderr);
  funlockfile(stderr);
  file = tmpfile();
  assert(file != NULL);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(count == 6 && tried == 3);
  fclose(file);
  return 0;
}
