// A counter that counts for longer than any limit on events allows.
#include <stdatomic.h>

static atomic_long counter;

int main(void) {
  for (;;) atomic_fetch_add(&counter, 1);
}
