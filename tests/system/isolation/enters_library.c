#include <pthread.h>

void enter_library(void);

static void* work(void* argument) { return argument; }

int main(void) {
  pthread_t thread;
  enter_library();
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
