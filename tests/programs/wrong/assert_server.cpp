// heddle: finds assert
// heddle-also: race, descriptor-race, deadlock, crash, limit
// The server of correct/server.cpp with a bug. The accept loop closes a connection that a worker still uses. If a
// client gets the number of the connection, two workers have both ends of one connection, and answer each other without
// end.
#include "../correct/server.hpp"

int main() { return run_server(Bug::early_close); }
