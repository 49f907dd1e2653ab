// A sleep orders nothing, also with strict time: the write and the read race, although the read sees the write.
// heddle: finds race
// heddle-runs: 50
// heddle-options: --time-model strict
// heddle-mentions: `shared`
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int shared;

static void* write_at_once(void* unused) {
  (void)unused;
  shared = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_at_once, NULL);
  usleep(100000);
  const int seen = shared;
  pthread_join(thread, NULL);
  return seen == 1 ? 0 : 1;
}
