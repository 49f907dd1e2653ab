// stack_bug of the thesis: treiber_stack.cpp with a bug.
// heddle: finds race
// heddle-also: race assert
#define STACK_BUG
#include "treiber_stack.cpp"
