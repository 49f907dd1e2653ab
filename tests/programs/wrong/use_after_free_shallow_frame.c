// A function passes the address of a local variable to a thread, and returns. Its caller waits right above: the frame
// is where the runtime has frames of its own while the caller waits.
// heddle: finds use-after-free
// heddle-also: race
// heddle-levels: -O0 -O2
// heddle-mentions: a function that has returned
#include <pthread.h>
#include <stdatomic.h>

static pthread_t thread;
static atomic_int turn;

static void* adds(void* numbers) {
  while (!atomic_load(&turn)) {
  }
  for (int i = 0; i < 16; ++i) ((int*)numbers)[i] += 1;
  return NULL;
}

__attribute__((noinline)) static void returns_too_early(void) {
  int numbers[16] = {0};
  __asm__ volatile("" : : "r"(numbers) : "memory");
  pthread_create(&thread, NULL, adds, numbers);
  __asm__ volatile("" : : "r"(numbers) : "memory");
}

int main(void) {
  returns_too_early();
  atomic_store(&turn, 1);
  pthread_join(thread, NULL);
  return 0;
}
