// The library's lock orders the accesses. heddle does not see it.
#include <pthread.h>
#include <stddef.h>

void spin_lock(void);
void spin_unlock(void);

static int counter;

static void* work(void* unused) {
  (void)unused;
  spin_lock();
  ++counter;
  spin_unlock();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}
