// A spinning barrier: the last thread starts the next round, the others spin until they see it. If arriving is
// relaxed, the last one does not know what those before it did, and neither does anybody who learns from it.
// heddle: finds race
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto arriving = std::memory_order_acq_rel;
#else
constexpr auto arriving = std::memory_order_relaxed;
#endif

class Barrier {
 public:
  explicit Barrier(unsigned threads) : threads_(threads) {}

  void wait() {
    const unsigned round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, arriving) == threads_ - 1) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.fetch_add(1, std::memory_order_acq_rel);
      return;
    }
    while (round_.load(std::memory_order_acquire) == round) std::this_thread::yield();
  }

 private:
  const unsigned threads_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> round_{0};
};

constexpr unsigned readers = 2;
static Barrier barrier(readers + 1);
static int message;
int seen[readers];

int main() {
  std::thread writer([] {
    inserted_writes();
    message = 42;
    barrier.wait();
  });
  std::thread reading[readers];
  for (unsigned i = 0; i < readers; ++i)
    reading[i] = std::thread([i] {
      inserted_writes();
      barrier.wait();
      seen[i] = message;
    });
  writer.join();
  for (auto& reader : reading) reader.join();
}
