// As deadlock_alarm.c, with strict time: the watchdog is the only wait that ends.
// heddle: finds deadlock
// heddle-mentions: each waits for the next: T0.2, T0.3, T0.2
// heddle-options: --time-model strict
#include "deadlock_alarm.c"
