// A wait that heddle does not know: fputc of another thread should wait for the thread that holds the stream by
// flockfile, so this assertion cannot fail. Calls of flockfile itself wait (correct/stream_lock.c).
// heddle: finds assert
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static FILE* stream;

static void* print_two(void* unused) {
  flockfile(stream);
  putc_unlocked('a', stream);
  sched_yield();
  putc_unlocked('a', stream);
  funlockfile(stream);
  return unused;
}

int main(void) {
  char text[8] = "";
  stream = fmemopen(text, sizeof text, "w");
  pthread_t thread;
  pthread_create(&thread, NULL, print_two, NULL);
  sched_yield();
  fputc('b', stream);
  pthread_join(thread, NULL);
  fclose(stream);
  assert(strcmp(text, "aba") != 0);
  return 0;
}
