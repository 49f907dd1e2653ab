// A ring buffer in the style of FreeBSD's buf_ring: producers reserve a slot with a compare-exchange on the head, fill
// it, and publish it in order through the tail. Each of THREADS threads puts a message and takes one.
//   RING_BUG: a slot is published without the barrier behind its contents, if FAILURES compare-exchanges failed before.
// heddle: clean
// heddle-runs: 300
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 3
#endif

#ifndef FAILURES
#define FAILURES 2
#endif

constexpr int threads = THREADS, size = 8;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire;
constexpr auto publish = std::memory_order_release;
#ifdef RING_BUG
constexpr auto late_publish = std::memory_order_relaxed;
#else
constexpr auto late_publish = publish;
#endif

static std::atomic<int> producer_head{0}, producer_tail{0}, consumer_head{0}, consumer_tail{0};
static int slots[size];
static std::atomic<int> seen[threads + 1];

/// There is room: the program puts fewer messages than there are slots.
static void put(int message) {
  int head = producer_head.load(relaxed), failures = 0;
  while (!producer_head.compare_exchange_strong(head, (head + 1) % size, relaxed, relaxed)) ++failures;
  slots[head] = message;
  while (producer_tail.load(acquire) != head) std::this_thread::yield();
  producer_tail.store((head + 1) % size, failures >= FAILURES ? late_publish : publish);
}

/// A consumer that moves the head has seen the tail behind it. The next consumer learns of it with the head.
static int take() {
  int head = consumer_head.load(acquire);
  do {
    if (head == producer_tail.load(acquire)) return 0;
  } while (!consumer_head.compare_exchange_strong(head, (head + 1) % size, std::memory_order_acq_rel, acquire));
  const int message = slots[head];
  while (consumer_tail.load(acquire) != head) std::this_thread::yield();
  consumer_tail.store((head + 1) % size, std::memory_order_release);
  return message;
}

int main() {
  std::thread all[threads];
  for (int i = 0; i < threads; ++i)
    all[i] = std::thread([i] {
      put(i + 1);
      if (const int message = take()) seen[message].fetch_add(1, relaxed);
    });
  for (std::thread& thread : all) thread.join();
  while (const int message = take()) seen[message].fetch_add(1, relaxed);
  for (int i = 1; i <= threads; ++i) assert(seen[i].load(relaxed) == 1);
}
