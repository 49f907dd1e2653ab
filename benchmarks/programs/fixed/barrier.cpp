// The corrected twin: barrier with the memory order that buggy/barrier.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/barrier.cpp"
