// A sleep is taken for synchronisation: "by then the other thread will have finished".
// heddle: finds race
// heddle-mentions: report
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int report;

static void* writes(void* unused) {
  report = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  sleep(2);
  const int seen = report;
  pthread_join(thread, NULL);
  printf("%d\n", seen);
  return 0;
}
