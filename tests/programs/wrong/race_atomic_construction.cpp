// An object with an atomic in it is published by a relaxed store: its construction races with its use.
// heddle: finds race
#include <atomic>
#include <thread>

struct Counter {
  std::atomic<int> hits;
};

static std::atomic<Counter*> published{nullptr};

int main() {
  std::thread user([] {
    if (Counter* counter = published.load(std::memory_order_relaxed)) counter->hits.fetch_add(1);
  });
  auto* counter = new Counter{5};
  published.store(counter, std::memory_order_relaxed);
  user.join();
  delete counter;
}
