// A hash table into which threads insert rows by compare-exchange. The orders for success and failure are the wrong way
// round: success publishes the row, failure reads a row of another thread.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto inserted = std::memory_order_release;
constexpr auto found = std::memory_order_acquire;
#else
constexpr auto inserted = std::memory_order_acquire;
constexpr auto found = std::memory_order_relaxed;
#endif

struct Row {
  int key;
  int payload;
  Row* next;
};

constexpr auto linked = std::memory_order_release;
static std::atomic<Row*> entries[2];

// Returns the row that has the key: the new one, or one that was there.
static Row* insert(Row& row) {
  auto& entry = entries[row.key % 2];
  row.next = nullptr;
  Row* present = nullptr;
  if (entry.compare_exchange_strong(present, &row, inserted, found))  // upstream fix: release, failed: acquire
    return &row;
  while (true) {
    for (Row* other = present; other != nullptr; other = other->next)
      if (other->key == row.key) return other;
    row.next = present;
    if (entry.compare_exchange_strong(present, &row, linked, found))  // upstream fix: failed: acquire
      return &row;
  }
}

int main() {
  static Row rows[4] = {{1, 10, nullptr}, {3, 30, nullptr}, {1, 10, nullptr}, {2, 20, nullptr}};
  std::thread other([] {
    assert(insert(rows[0])->payload == 10);
    assert(insert(rows[1])->payload == 30);
  });
  assert(insert(rows[2])->payload == 10);
  assert(insert(rows[3])->payload == 20);
  other.join();
}
