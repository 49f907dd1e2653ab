// The corrected twin: rwlock with the memory order that buggy/rwlock.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/rwlock.cpp"
