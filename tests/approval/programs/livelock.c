// A thread spins on a flag that no thread sets.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void* wait_for_flag(void* unused) {
  while (atomic_load(&flag) == 0) {
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_flag, NULL);
  pthread_join(thread, NULL);
  return 0;
}
