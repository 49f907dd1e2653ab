// A mutex is initialised twice: the second time, another thread may use it already.
// heddle: finds misuse
// heddle-mentions: a mutex is initialised again without being destroyed before
#include <pthread.h>

static pthread_mutex_t guard;

int main(void) {
  pthread_mutex_init(&guard, NULL);
  pthread_mutex_init(&guard, NULL);
  pthread_mutex_lock(&guard);
  pthread_mutex_unlock(&guard);
  pthread_mutex_destroy(&guard);
  return 0;
}
