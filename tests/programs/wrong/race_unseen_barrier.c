// The barrier of ThreadSanitizer's own tests makes threads wait for each other, and orders nothing. A mutex that is
// held where the program says that none is.
// heddle: finds race|misuse
// heddle-also: race, misuse
// heddle-mentions: value
// heddle-mentions: holds a mutex
#include <pthread.h>

void __tsan_testonly_barrier_init(unsigned long long* barrier, unsigned count);
void __tsan_testonly_barrier_wait(unsigned long long* barrier);
void __tsan_check_no_mutexes_held(void);

static unsigned long long barrier;
int value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  value = 1;
  __tsan_testonly_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  __tsan_testonly_barrier_init(&barrier, 2);
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  __tsan_testonly_barrier_wait(&barrier);
  value = 2;
  pthread_join(other, NULL);
  pthread_mutex_lock(&mutex);
  __tsan_check_no_mutexes_held();
  pthread_mutex_unlock(&mutex);
  return 0;
}
