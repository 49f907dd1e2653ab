// A bounded queue for many producers and consumers. Claims of both kinds are counted in one word, so that full and
// empty are decided in one step; what was written and what was read is counted apart, in the order of the claims. If
// publishing is relaxed, a consumer gets a slot whose contents it knows nothing of.
// heddle: finds race
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto publishing = std::memory_order_release;
#else
constexpr auto publishing = std::memory_order_relaxed;
#endif

#ifndef WRITERS
constexpr unsigned capacity = 1;
#else
constexpr unsigned capacity = WRITERS;
#endif
static int slots[capacity];
int taken[2];
static std::atomic<unsigned> claims{0};  // to be read: low half; to be written: high half
static std::atomic<unsigned> written{0}, read_back{0};

constexpr unsigned reads(unsigned both) { return both & 0xffff; }
constexpr unsigned writes(unsigned both) { return both >> 16; }

static bool enqueue(int value) {
  unsigned both = claims.load(std::memory_order_acquire);
  do {
    if (writes(both) - reads(both) == capacity) return false;
  } while (!claims.compare_exchange_weak(both, both + 0x10000, std::memory_order_acq_rel));
  const unsigned mine = writes(both);
  while (mine - read_back.load(std::memory_order_acquire) >= capacity) std::this_thread::yield();
  slots[mine % capacity] = value;
  while (written.load(std::memory_order_acquire) != mine) std::this_thread::yield();
  written.fetch_add(1, publishing);
  return true;
}

static bool dequeue(int& value) {
  unsigned both = claims.load(std::memory_order_acquire);
  do {
    if (writes(both) == reads(both)) return false;
  } while (!claims.compare_exchange_weak(both, both + 1, std::memory_order_acq_rel));
  const unsigned mine = reads(both);
  while (written.load(std::memory_order_acquire) <= mine) std::this_thread::yield();
  value = slots[mine % capacity];
  while (read_back.load(std::memory_order_acquire) != mine) std::this_thread::yield();
  read_back.fetch_add(1, std::memory_order_release);
  return true;
}

#ifndef WRITERS
static void work(int value) {
  inserted_writes();
  enqueue(value);
  dequeue(taken[value]);
}

int main() {
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}
#else
int main() {
  std::thread all[READERS + WRITERS];
  for (int i = 0; i < WRITERS; ++i) all[i] = std::thread([i] { enqueue(i); });
  for (int i = 0; i < READERS; ++i) all[WRITERS + i] = std::thread([i] { dequeue(taken[i]); });
  for (std::thread& thread : all) thread.join();
}
#endif
