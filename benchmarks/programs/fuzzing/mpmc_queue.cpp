// The bounded queue of buggy/mpmcqueue.cpp, corrected, as chapter 5 of the thesis tests it: two readers, four writers.
// heddle: clean
// heddle-runs: 300
#define FIXED
#define READERS 2
#define WRITERS 4
#include "../buggy/mpmcqueue.cpp"
