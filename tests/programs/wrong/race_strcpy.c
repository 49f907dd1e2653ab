// A string is overwritten with strcpy while another thread compares it.
// heddle: finds race
// heddle-mentions: title
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char title[32] = "first";

static void* compares(void* key) { return strcmp(title, key) == 0 ? key : NULL; }

int main(int argc, char** argv) {
  static char key[] = "second";
  pthread_t thread;
  pthread_create(&thread, NULL, compares, key);
  strcpy(title, argc > 1 ? argv[1] : "second");
  pthread_join(thread, NULL);
  printf("%d\n", title[0]);
  return 0;
}
