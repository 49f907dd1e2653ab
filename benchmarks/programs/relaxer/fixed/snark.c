// The corrected twin: snark with the fences that ../snark.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../snark.c"
