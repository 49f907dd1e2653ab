// Right C++, but libstdc++ 12 gives the lock inside atomic<shared_ptr>::load back with a relaxed operation: its plain
// read of the pointer is then not ordered before the write of the next store. Later libraries use release there.
// heddle: finds race
// heddle-mentions: _Sp_atomic
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
