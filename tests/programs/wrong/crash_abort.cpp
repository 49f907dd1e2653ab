// A program that notices its own trouble and calls abort.
// heddle: finds crash
// heddle-mentions: give_up
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> owners{0};

[[gnu::noinline]] static void give_up() { std::abort(); }

static void enter() {
  if (owners.fetch_add(1) != 0) give_up();
  owners.fetch_sub(1);
}

int main() {
  std::thread a(enter), b(enter);
  a.join();
  b.join();
}
