// The corrected twin of left_right.cpp.
// heddle: clean
// heddle-runs: 300
#define FIXED
#include "left_right.cpp"
