// A lock of inline assembly, which heddle does not see. What it protects seems to race.
#include <pthread.h>
#include <sched.h>

static volatile int word;
static int count;

static void lock(void) {
  for (;;) {
    unsigned char was_held;
    __asm__ volatile("lock btsl $0, %1\n setc %0" : "=r"(was_held), "+m"(word) : : "cc", "memory");
    if (!was_held) return;
    sched_yield();
  }
}
static void unlock(void) { __asm__ volatile("lock btrl $0, %0" : "+m"(word) : : "cc", "memory"); }

static void* work(void* nothing) {
  lock();
  ++count;
  unlock();
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  return count != 2;
}
