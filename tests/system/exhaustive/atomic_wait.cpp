// std::atomic::wait sleeps on a futex, which is not explored yet, and heddle says so.
#include <atomic>
#include <thread>

std::atomic<int> flag;

int main() {
  std::thread waiter([] { flag.wait(0); });
  flag.store(1);
  flag.notify_one();
  waiter.join();
}
