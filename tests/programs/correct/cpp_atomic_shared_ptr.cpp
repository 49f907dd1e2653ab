// std::atomic<std::shared_ptr>: a thread that loads it has the whole object, which no other thread frees meanwhile.
// heddle: clean
// heddle-options: --leaks
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Version {
  int a, b;
};

static std::atomic<std::shared_ptr<Version>> current;

static void replace(int number) {
  std::shared_ptr<Version> old = current.exchange(std::make_shared<Version>(Version{number, number}));
  assert(old->a == old->b);
}

int main() {
  current.store(std::make_shared<Version>(Version{1, 1}));
  std::thread a(replace, 2), b(replace, 3);
  a.join();
  b.join();
  assert(current.load()->a >= 2);
  current.store(nullptr);
}
