// A detached thread writes what main reads; nothing ever joins them.
// heddle: finds race
// heddle-mentions: status
#include <sched.h>

#include <cstdio>
#include <thread>

static int status;

int main() {
  std::thread([] { status = 1; }).detach();
  sched_yield();
  std::printf("%d\n", status);
}
