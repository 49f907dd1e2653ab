// The library's lock orders the accesses to `counter`, but heddle does not see it. Nothing orders those to
// `free_for_all`.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void spin_lock(void);
void spin_unlock(void);
double many_arguments(double a, int b, double c, long d, char e, double f, int g, int h, int i, int j);

static int counter, free_for_all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* is_careless) {
  spin_lock();
  pthread_mutex_lock(&mutex);  // a scheduling point while the lock is held
  pthread_mutex_unlock(&mutex);
  ++counter;
  spin_unlock();
  assert(many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 55);
  if (is_careless != NULL) ++free_for_all;
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  void* is_careless = argc > 1 ? &counter : NULL;
  pthread_t thread;
  pthread_create(&thread, NULL, work, is_careless);
  work(is_careless);
  pthread_join(thread, NULL);
  return counter == 2 ? 0 : 1;
}
