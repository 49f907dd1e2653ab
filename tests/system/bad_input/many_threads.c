// More threads than heddle has room for, one after another.
#include <pthread.h>

static void* nothing(void* argument) { return argument; }

int main(void) {
  for (int i = 0; i < 1100; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, 0, nothing, 0) != 0) return 1;
    pthread_join(thread, 0);
  }
  return 0;
}
