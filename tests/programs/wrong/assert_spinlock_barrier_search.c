// On x86 an unlock of a spinlock is a plain store, no barrier: a store before it may reach memory after a later load.
// So each thread may miss what the other one stored inside its critical section.
// heddle: finds assert
// heddle-options: -m tso -s exhaustive
// heddle-runs: 100000
#include "assert_spinlock_barrier.c"
