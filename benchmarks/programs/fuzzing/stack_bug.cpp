// stack_bug of the thesis: treiber_stack.cpp with a bug.
// heddle: finds race
// heddle-options: -s fuzz
// heddle-runs: 4000
// heddle-also: race assert
#define STACK_BUG
#define THREADS 2
#ifndef FAILURES
#define FAILURES 3
#endif
#include "treiber_stack.cpp"
