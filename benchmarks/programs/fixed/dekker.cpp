// The corrected twin: dekker with the memory order that buggy/dekker.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/dekker.cpp"
