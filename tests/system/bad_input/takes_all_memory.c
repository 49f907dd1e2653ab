// Allocates until there is no more, and does not look at what it gets.
#include <stdlib.h>
#include <string.h>

int main(void) {
  for (;;) {
    char* block = malloc(1 << 20);
    memset(block, 1, 64);
  }
}
