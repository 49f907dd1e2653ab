// An atomic variable is read through a plain pointer while another thread stores to it.
// heddle: finds race
// heddle-mentions: word
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int word;

static void* stores(void* unused) {
  atomic_store(&word, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, stores, NULL);
  const int* peek = (const int*)(void*)&word;
  const int seen = *peek;
  pthread_join(thread, NULL);
  printf("%d\n", seen);
  return 0;
}
