// The corrected twin: bakery with the fences that ../bakery.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../bakery.c"
