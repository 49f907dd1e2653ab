// std::atomic<std::shared_ptr>: readers keep what they loaded alive while a writer replaces it.
// heddle: clean
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Version {
  int a, b;
};

static std::atomic<std::shared_ptr<Version>> current;

int main() {
  current.store(std::make_shared<Version>(Version{1, 1}));
  std::thread writer([] {
    current.store(std::make_shared<Version>(Version{2, 2}));
    auto expected = current.load();
    current.compare_exchange_strong(expected, std::make_shared<Version>(Version{3, 3}));
  });
  std::thread reader([] {
    std::shared_ptr<Version> seen = current.load();
    assert(seen->a == seen->b);
  });
  writer.join();
  reader.join();
  assert(current.load()->a == 3);
  current.store(nullptr);
}
