// The corrected twin: msn with the fences that ../msn.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../msn.c"
