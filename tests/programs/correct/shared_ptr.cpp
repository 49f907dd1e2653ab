// Copies of a shared_ptr in several threads: the object lives until the last is gone, and is destroyed once.
// heddle: clean
// heddle-options: --leaks
#include <cassert>
#include <memory>
#include <thread>

static int destroyed;

struct Object {
  int value = 3;
  ~Object() { ++destroyed; }
};

int main() {
  auto object = std::make_shared<Object>();
  std::weak_ptr<Object> watcher = object;
  std::thread a([copy = object] { assert(copy->value == 3); });
  std::thread b([copy = std::move(object)]() mutable {
    assert(copy->value == 3);
    copy.reset();
  });
  if (std::shared_ptr<Object> alive = watcher.lock()) assert(alive->value == 3);
  a.join();
  b.join();
  assert(watcher.expired() && destroyed == 1);
}
