// Tests that rely on a sleep, or on a wait with a time limit, being longer than a short computation. They pass with
// strict time, also with relaxed stores: a store is visible when time has passed.
// heddle: clean
// heddle-options: --time-model strict
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::atomic<int> done{0}, order{0};
  std::mutex mutex;
  std::condition_variable never;
  std::thread worker([&] { done.store(1, std::memory_order_relaxed); });
  std::thread sleeper([&] {
    std::this_thread::sleep_for(20ms);
    assert(order.exchange(2) == 1);
  });
  std::this_thread::sleep_for(10ms);
  assert(done.load(std::memory_order_relaxed) == 1);
  assert(order.exchange(1) == 0);
  std::unique_lock<std::mutex> lock(mutex);
  const auto end = std::chrono::steady_clock::now() + 50ms;
  while (never.wait_until(lock, end) != std::cv_status::timeout) {
  }
  assert(order.load(std::memory_order_relaxed) == 2);
  worker.join();
  sleeper.join();
}
