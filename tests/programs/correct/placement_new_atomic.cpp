// An atomic is made in memory that was used for something else, and the memory is used plainly again afterwards.
// heddle: clean
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <thread>

alignas(std::atomic<int>) static unsigned char room[sizeof(std::atomic<int>)];

int main() {
  for (int round = 0; round < 2; ++round) {
    std::memset(room, 0xee, sizeof room);
    auto* counter = new (room) std::atomic<int>(5);
    std::thread other([counter] { counter->fetch_add(1, std::memory_order_relaxed); });
    counter->fetch_add(1, std::memory_order_relaxed);
    other.join();
    assert(counter->load() == 7);
    counter->~atomic();
    room[0] = 1;
    assert(room[0] == 1);
  }
}
