// The corrected twin: msqueue with the memory order that buggy/msqueue.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/msqueue.cpp"
