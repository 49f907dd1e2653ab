// The corrected twin: harris with the fences that ../harris.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../harris.c"
