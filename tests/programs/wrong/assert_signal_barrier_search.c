// On x86 a signal to a condition variable for which no thread waits is a plain load, no barrier.
// heddle: finds assert
// heddle-options: -m tso -s exhaustive
// heddle-runs: 100000
#include "assert_signal_barrier.c"
