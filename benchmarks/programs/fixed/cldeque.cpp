// The corrected twin: cldeque with the memory order that buggy/cldeque.cpp leaves out, and nothing else.
// heddle: clean
#define FIXED
#include "../buggy/cldeque.cpp"
