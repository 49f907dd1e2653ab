// stack_oddeven of the thesis: treiber_stack.cpp with a bug.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 4000
// heddle-also: race assert
#define ODD_EVEN
#define THREADS 2
#ifndef FAILURES
#define FAILURES 3
#endif
#include "treiber_stack.cpp"
