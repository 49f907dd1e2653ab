// Threads, locks, timed waits, atomics of all sizes, standard streams, an exit handler and an exit status.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Large {
  long words[3];
};
std::atomic<Large> large;
std::atomic<unsigned __int128> wide;
std::atomic<int> count;

int main() {
  std::atexit([] { std::cout << "end" << std::endl; });
  std::string line;
  std::getline(std::cin, line);
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return is_ready; });
      changed.wait_for(lock, std::chrono::milliseconds(5), [] { return false; });
      lock.unlock();
      for (int k = 0; k < 10000; ++k) ++count;
    });
  {
    const std::lock_guard lock(mutex);
    is_ready = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  large.store({1, 2, 3});
  wide.store(5);
  auto future = std::async(std::launch::async, [] { return 4; });
  std::cout << line << ' ' << count << ' ' << large.load().words[2] << ' ' << static_cast<int>(wide.exchange(7)) << ' '
            << future.get() << std::endl;
  return 42;
}
