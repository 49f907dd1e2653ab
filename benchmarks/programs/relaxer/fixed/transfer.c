// The corrected twin: transfer with the fences that ../transfer.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../transfer.c"
