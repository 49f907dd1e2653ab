// Prints bytes that are no text, a terminal's control sequences among them, and fails.
#include <assert.h>
#include <stdio.h>

int main(void) {
  for (int i = 0; i < 256; i++) putchar(i);
  fputs("\x1b[31m\x1b]0;title\x07\xc3\x28\xf0\x9f", stdout);
  fflush(stdout);
  assert(0);
  return 0;
}
