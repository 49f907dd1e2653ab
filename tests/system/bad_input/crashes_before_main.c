// Writes to address zero in a constructor.
#include <stddef.h>

static int* volatile nowhere;

__attribute__((constructor)) static void crash(void) { *nowhere = 1; }

int main(void) { return 0; }
