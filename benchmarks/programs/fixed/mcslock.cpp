// The corrected twin: mcslock with the memory order that buggy/mcslock.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/mcslock.cpp"
