// A division by a number that another thread may have set to zero.
// heddle: finds crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int divisor = 1;
static volatile int result;

static void* changes(void* value) {
  atomic_store(&divisor, *(int*)value);
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  int zero = argc - 1;
  pthread_t thread;
  pthread_create(&thread, NULL, changes, &zero);
  result = 100 / atomic_load(&divisor);
  pthread_join(thread, NULL);
  return 0;
}
