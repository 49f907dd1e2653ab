// buf_ring_bug of the thesis: ring_buffer.cpp without the barrier of the enqueue.
// heddle: finds race
// heddle-options: -s fuzz
// heddle-runs: 4000
// heddle-also: assert
#define RING_BUG
#define THREADS 4
#include "ring_buffer.cpp"
