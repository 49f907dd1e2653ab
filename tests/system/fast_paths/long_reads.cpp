// Some 60,000 events of three threads, stale reads among them; prints what they read. Long enough for events to be
// forgotten many times over.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>

namespace {

constexpr int cells = 5;
std::atomic<std::uint32_t> values[cells];
std::atomic<std::uint32_t> flag;
std::mutex mutex;
std::uint64_t total;

void work(std::uint32_t who) {
  std::uint64_t sum = who;
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 2500; ++i) {
    const auto mine = (i + who) % cells, other = (i * 3 + who) % cells;
    values[mine].store(i * 8 + who, std::memory_order_relaxed);
    sum = sum * 31 + values[other].load(std::memory_order_relaxed);
    sum = sum * 31 + values[mine].fetch_add(1, std::memory_order_acq_rel);
    if (i % 7 == 0) std::atomic_thread_fence(std::memory_order_acq_rel);
    if (flag.compare_exchange_weak(expected, i, std::memory_order_release, std::memory_order_relaxed)) ++sum;
    if (i % 5 == 0) {
      const std::lock_guard lock(mutex);
      total += sum;
    }
  }
  const std::lock_guard lock(mutex);
  total ^= sum;
}

}  // namespace

int main() {
  std::thread first(work, 1), second(work, 2);
  work(3);
  first.join();
  second.join();
  std::printf("%016llx\n", static_cast<unsigned long long>(total));
}
