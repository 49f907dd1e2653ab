// Fails if standard input has no number.
#include <stdio.h>

int main(void) {
  int number;
  return scanf("%d", &number) == 1 ? 0 : 3;
}
