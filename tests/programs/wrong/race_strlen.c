// The length of a string is taken while another thread makes it longer.
// heddle: finds race
// heddle-mentions: name
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[16] = "heddle";

static void* renames(void* unused) {
  name[6] = 's';
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, renames, NULL);
  const size_t length = strlen(name);
  pthread_join(thread, NULL);
  printf("%zu\n", length);
  return 0;
}
