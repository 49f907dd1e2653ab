// Threads claim slots, each from the slot that its id, its handle and the address of a variable of its own select. So
// the numbers decide which executions lose an update, and they must be the same in every process.
// heddle: finds assert
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

static constexpr std::size_t slots = 5;
static std::atomic<int> claimed[slots];
static std::atomic<int> counter;
static thread_local int variable;

static void claim() {
  const auto block = std::make_unique<int>(1);
  int local = 0;
  std::size_t at = std::hash<std::thread::id>()(std::this_thread::get_id());
  for (const void* address :
       {static_cast<void*>(&variable), static_cast<void*>(&local), static_cast<void*>(block.get())})
    at = at * 31 + reinterpret_cast<std::size_t>(address) / 64;
  at += static_cast<std::size_t>(gettid());
  int free = 0;
  while (!claimed[at % slots].compare_exchange_strong(free, 1)) {
    ++at;
    free = 0;
  }
  counter.store(counter.load() + 1);
}

int main() {
  std::thread nested([] {
    std::thread inner(claim);
    claim();
    inner.join();
  });
  std::thread other([] {
    std::thread inner(claim);
    claim();
    inner.join();
  });
  nested.join();
  other.join();
  assert(counter == 4);
}
