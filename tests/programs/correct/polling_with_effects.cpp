// A queue that marks its critical sections, as some do to find misuse, polled by a reader. No round of the loop is
// without an effect, so its waiting is not recognised; a strategy that prefers old values must still come to an end.
// heddle: clean
// heddle-options: -s pctwm
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> in_section{false};
std::atomic<int> tail{0};
int item = 0;

bool try_take(int& taken) {
  in_section.store(true, std::memory_order_relaxed);
  const bool is_there = tail.load(std::memory_order_acquire) != 0;
  if (is_there) taken = item;
  in_section.store(false, std::memory_order_relaxed);
  return is_there;
}

}  // namespace

int main() {
  std::thread producer([] {
    item = 7;
    tail.store(1, std::memory_order_release);
  });
  int taken = 0;
  while (!try_take(taken)) std::this_thread::yield();
  assert(taken == 7);
  producer.join();
}
