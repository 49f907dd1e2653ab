// heddle: clean
// heddle-options: -s exhaustive
#include "invalid_times.c"
