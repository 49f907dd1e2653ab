// The corrected twin: ms2 with the fences that ../ms2.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../ms2.c"
