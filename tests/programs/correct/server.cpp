// heddle: clean
// heddle-runs: 1000
// heddle-levels: -O0 -O2
// A server: an accept loop over epoll hands connections to worker threads, clients in the same process talk to it over
// loopback sockets. wrong/server_*.cpp have one bug each.
#include "server.hpp"

int main() { return run_server(Bug::none); }
