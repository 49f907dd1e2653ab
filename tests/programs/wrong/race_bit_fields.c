// Two bit-fields share a byte, so that writing one writes the other.
// heddle: finds race
// heddle-mentions: flags
#include <pthread.h>
#include <stdio.h>

static struct {
  unsigned first : 4;
  unsigned second : 4;
} flags;

static void* sets_first(void* unused) {
  flags.first = 3;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sets_first, NULL);
  flags.second = 5;
  pthread_join(thread, NULL);
  printf("%d\n", flags.first + flags.second);
  return 0;
}
