// A large block that was allocated before main comes back in every execution as it was.
// heddle: clean
// heddle-runs: 20
#include <cassert>
#include <thread>
#include <vector>

static std::vector<int> table(100000, 7);

int main() {
  assert(table[50000] == 7);
  std::thread thread([] { table[50000] = 8; });
  thread.join();
  assert(table[50000] == 8);
}
