// The corrected twin of bipartite_buffer.cpp.
// heddle: clean
// heddle-runs: 300
#define FIXED
#include "bipartite_buffer.cpp"
