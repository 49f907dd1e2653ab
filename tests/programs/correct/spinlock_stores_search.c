// What a thread stores inside a critical section of a spinlock is in memory when another thread has the lock, although
// the unlock is a plain store on x86.
// heddle: clean
// heddle-runs: 100000
// heddle-options: -m tso -s exhaustive
#include "spinlock_stores.c"
