// Random numbers, clocks and ids steer the program; the same seed steers it the same way.
// heddle: clean
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>

static std::atomic<int> work{0};

static void spend(unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) work.fetch_add(1, std::memory_order_relaxed);
}

int main() {
  std::srand(static_cast<unsigned>(std::time(nullptr)));
  std::random_device device;
  std::mt19937 engine(device());
  unsigned entropy = 0;
  assert(getrandom(&entropy, sizeof entropy, 0) == sizeof entropy);
  const unsigned a = static_cast<unsigned>(std::rand()) % 5, b = engine() % 5;
  const unsigned c = (entropy + static_cast<unsigned>(getpid())) % 5;
  std::thread first(spend, a), second(spend, b);
  spend(c);
  first.join();
  second.join();
  assert(work == static_cast<int>(a + b + c));
}
