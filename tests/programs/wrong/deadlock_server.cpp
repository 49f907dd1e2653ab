// heddle: finds deadlock
// heddle-runs: 1000
// The server of correct/server.cpp with a bug. A worker decides to sleep before it has the lock, and misses the
// notification.
#include "../correct/server.hpp"

int main() { return run_server(Bug::lost_request); }
