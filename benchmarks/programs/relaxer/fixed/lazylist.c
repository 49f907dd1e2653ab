// The corrected twin: lazylist with the fences that ../lazylist.c leaves out, and nothing else.
// heddle: clean
// heddle-options: -m pslo
#define FIXED
#include "../lazylist.c"
