// Two threads with many operations each: one execution has some 8,000 events, and there are very many executions.
#include <atomic>
#include <thread>

static std::atomic<int> first, second;

int main() {
  std::thread other([] {
    for (int i = 0; i < 2000; i++) second.store(first.load());
  });
  for (int i = 0; i < 2000; i++) first.store(second.load());
  other.join();
}
