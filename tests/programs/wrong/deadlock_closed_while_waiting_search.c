// heddle: finds deadlock
// heddle-also: descriptor-race
// heddle-options: -s exhaustive
#include "deadlock_closed_while_waiting.c"
