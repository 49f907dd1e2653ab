// heddle: finds deadlock
// heddle-options: -s exhaustive
#include "deadlock_closed_while_waiting.c"
