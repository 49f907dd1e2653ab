// stack_oddeven of the thesis: treiber_stack.cpp with a bug.
// heddle: finds assert
// heddle-also: race assert
#define ODD_EVEN
#include "treiber_stack.cpp"
