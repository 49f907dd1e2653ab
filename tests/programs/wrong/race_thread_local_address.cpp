// A thread hands out the address of its thread_local variable and continues to use it.
// heddle: finds race
#include <atomic>
#include <cstdio>
#include <thread>

static thread_local int mine;
static std::atomic<int*> address{nullptr};

int main() {
  std::thread other([] {
    int* theirs;
    while ((theirs = address.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    *theirs = 1;
  });
  address.store(&mine, std::memory_order_release);
  mine = 2;
  other.join();
  std::printf("%d\n", mine);
}
