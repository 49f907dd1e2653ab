// heddle: finds assert
// heddle-also: race, deadlock, crash
// The server of correct/server.cpp with a bug. The accept loop closes a connection that a worker still uses.
#include "../correct/server.hpp"

int main() { return run_server(Bug::early_close); }
