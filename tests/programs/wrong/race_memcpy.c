// A struct is copied with memcpy while another thread changes it.
// heddle: finds race
// heddle-mentions: record
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char record[64], copy[64];

static void* changes(void* unused) {
  record[40] = 1;
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t thread;
  pthread_create(&thread, NULL, changes, NULL);
  memcpy(copy, record, 60 + (size_t)argc);  // a length that the compiler does not know
  pthread_join(thread, NULL);
  printf("%d\n", copy[0]);
  return 0;
}
