// The corrected twin: linuxrwlocks with the memory order that buggy/linuxrwlocks.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/linuxrwlocks.cpp"
