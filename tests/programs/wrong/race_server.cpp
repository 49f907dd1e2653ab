// heddle: finds race
// heddle-mentions: Server::serve
// The server of correct/server.cpp with a bug. Workers count requests without the lock.
#include "../correct/server.hpp"

int main() { return run_server(Bug::unlocked_statistics); }
