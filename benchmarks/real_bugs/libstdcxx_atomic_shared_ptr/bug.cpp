// libstdc++ 12: std::atomic<std::shared_ptr>::load releases its internal lock by a relaxed operation, so its read of
// the pointer races with the next store.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

int main() {
  std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(1));
  std::thread reader([&] {
    assert(*shared.load() != 0);
    assert(*shared.load() != 0);
  });
  shared.store(std::make_shared<int>(2));
  shared.store(std::make_shared<int>(3));
  reader.join();
  assert(*shared.load() == 3);
}
