// stack_oddeven2 of the thesis: treiber_stack.cpp with a bug.
// heddle: finds assert
// heddle-also: race assert
#define ODD_EVEN_2
#include "treiber_stack.cpp"
