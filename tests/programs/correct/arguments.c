// The program's arguments arrive as given, in every execution, even if the program changes them.
// heddle: clean
// heddle-args: --count 3 two words
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char** arguments;

static void* look(void* unused) {
  assert(strcmp(arguments[1], "--count") == 0);
  return unused;
}

int main(int argc, char** argv) {
  assert(argc == 5);
  assert(strcmp(argv[1], "--count") == 0 && atoi(argv[2]) == 3 && strcmp(argv[4], "words") == 0);
  assert(argv[argc] == NULL);
  arguments = argv;
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  pthread_join(thread, NULL);
  argv[1][0] = '#';
  argv[2] = NULL;
  return 0;
}
