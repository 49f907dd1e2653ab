// A counter in memory that the program mapped before main: reset isolation does not bring it back, and neither the
// events nor the output tell, only the values do. Under fork isolation every execution finds it at 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static atomic_int* counter;

__attribute__((constructor)) static void map_counter(void) {
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void* add(void* unused) {
  atomic_fetch_add(counter, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  pthread_join(thread, NULL);
  assert(atomic_load(counter) < 100);
  return 0;
}
