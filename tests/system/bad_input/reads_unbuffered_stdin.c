// Reads a line from an unbuffered standard input, which the kernel writes into a variable of the C library. It becomes
// unbuffered before main, or in main if there is an argument.
#include <assert.h>
#include <stdio.h>
#include <string.h>

static void make_unbuffered(void) { setvbuf(stdin, NULL, _IONBF, 0); }

__attribute__((constructor)) static void before_main(int count) {
  if (count == 1) make_unbuffered();
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) make_unbuffered();
  char line[100] = "";
  if (fgets(line, sizeof line, stdin) != NULL) assert(strcmp(line, "hello\n") == 0);
  assert(!ferror(stdin));
  return 0;
}
