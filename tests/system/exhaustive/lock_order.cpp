// Two locks, taken in either order.
#include <mutex>
#include <thread>

int main() {
  std::mutex first, second;
  std::thread other([&] {
    const std::lock_guard one(first);
    const std::lock_guard two(second);
  });
  {
    const std::lock_guard one(second);
    const std::lock_guard two(first);
  }
  other.join();
}
