// A buffer is cleared with memset, and moved with memmove, while another thread fills it.
// heddle: finds race
// heddle-mentions: buffer
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[64];

static void* clears(void* length) {
  memset(buffer, 0, *(size_t*)length);
  memmove(buffer + 1, buffer, *(size_t*)length / 2);
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  size_t length = 50 + (size_t)argc;
  pthread_t thread;
  pthread_create(&thread, NULL, clears, &length);
  buffer[50] = 'x';
  pthread_join(thread, NULL);
  printf("%d\n", buffer[1]);
  return 0;
}
