// A thread that sleeps until a flag is set.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> flag{0};
  int message = 0;
  std::thread reader([&] {
    flag.wait(0);
    assert(message == 1);
  });
  message = 1;
  flag.store(1);
#ifndef FORGETS_TO_NOTIFY
  flag.notify_one();
#endif
  reader.join();
}
