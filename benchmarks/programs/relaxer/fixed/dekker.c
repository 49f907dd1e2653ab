// The corrected twin: dekker with the fences that ../dekker.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../dekker.c"
