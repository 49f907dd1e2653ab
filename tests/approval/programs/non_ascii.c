// The expression of an assertion is shown as the source has it.
#include <assert.h>

int main(void) {
  assert(!"Größe");
  return 0;
}
