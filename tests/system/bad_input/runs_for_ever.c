// Computes for ever, without one operation that heddle sees.
#include <pthread.h>
#include <stddef.h>

static void* compute(void* unused) {
  unsigned value = 1;
  for (;;) __asm__ volatile("" : "+r"(value));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  pthread_join(thread, NULL);
  return 0;
}
