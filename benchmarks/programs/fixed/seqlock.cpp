// The corrected twin: seqlock with the memory order that buggy/seqlock.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/seqlock.cpp"
