// buf_ring_bug of the thesis: ring_buffer.cpp without the barrier of the enqueue.
// heddle: finds race
// heddle-also: assert
#define RING_BUG
#include "ring_buffer.cpp"
