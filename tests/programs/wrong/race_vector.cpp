// Two threads push to one vector.
// heddle: finds race
// heddle-also: use-after-free, double-free, crash, uncaught-exception
// heddle-mentions: numbers
#include <thread>
#include <vector>

static std::vector<int> numbers;

static void work(int value) { numbers.push_back(value); }

int main() {
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
}
