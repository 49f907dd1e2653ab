// The corrected twin of ring_buf.cpp.
// heddle: clean
// heddle-runs: 300
#define FIXED
#include "ring_buf.cpp"
