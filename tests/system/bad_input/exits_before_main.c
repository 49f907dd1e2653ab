// Leaves before main.
#include <stdlib.h>

__attribute__((constructor)) static void leave(void) { exit(0); }

int main(void) { return 0; }
