// Reads a line from standard input.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[100] = "";
  if (fgets(line, sizeof line, stdin) != NULL) assert(strcmp(line, "hello\n") == 0);
  return 0;
}
