// main reads a thread's result before it joins the thread.
// heddle: finds race
// heddle-mentions: result
#include <pthread.h>
#include <stdio.h>

static int result;

static void* work(void* unused) {
  result = 42;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  const int early = result;
  pthread_join(thread, NULL);
  printf("%d\n", early);
  return 0;
}
