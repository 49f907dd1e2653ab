// P3 of the papers: checked before, used after, and both times right in between. PCT's depth is 3.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

static std::atomic<int> x{1};

int main() {
  std::thread writer([] {
    inserted_writes();
    x.store(0);
    x.store(1);
  });
  std::thread user([] {
    inserted_writes();
    if (x.load() != 0) assert(x.load() != 0);
  });
  writer.join();
  user.join();
}
