// buggy_queue of the thesis: ms_queue.cpp with a bug in the put.
// heddle: finds assert
// heddle-also: race livelock
// heddle-runs: 100
#define BUGGY_QUEUE
#include "ms_queue.cpp"
