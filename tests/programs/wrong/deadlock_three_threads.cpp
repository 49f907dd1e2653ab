// Three philosophers, three forks, everybody takes the left one first.
// heddle: finds deadlock
#include <mutex>
#include <thread>

static std::mutex forks[3];

static void dine(int me) {
  std::lock_guard left(forks[me]);
  std::lock_guard right(forks[(me + 1) % 3]);
}

int main() {
  std::thread a(dine, 0), b(dine, 1), c(dine, 2);
  a.join();
  b.join();
  c.join();
}
