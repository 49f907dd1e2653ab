// The corrected twin: mpmcqueue with the memory order that buggy/mpmcqueue.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/mpmcqueue.cpp"
