// A stack of items, each with a lock word that a popping thread takes before it reads the item's link. Only a write
// barrier follows the lock, so the link may be one from before.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#ifdef MENDED
constexpr auto after_lock = std::memory_order_seq_cst;
#else
constexpr auto after_lock = std::memory_order_release;
#endif

struct Item {
  std::atomic<Item*> next{nullptr};
  std::atomic<int> taken{1};
  std::atomic<int> users{0};
};

static void write_barrier() { std::atomic_thread_fence(std::memory_order_release); }

class Lifo {
 public:
  void push(Item* item) {
    Item* next = head_.load(relaxed);
    do {
      item->next.store(next, relaxed);
      write_barrier();
    } while (!head_.compare_exchange_strong(next, item, relaxed, relaxed));
    write_barrier();
    item->taken.store(0, relaxed);
  }

  Item* pop() {
    while (true) {
      Item* item = head_.load(relaxed);
      if (item == nullptr) return nullptr;
      // Another thread is popping this item.
      if (item->taken.exchange(1, relaxed) != 0) {
        std::this_thread::yield();
        continue;
      }
      std::atomic_thread_fence(after_lock);  // upstream fix: seq_cst
      Item* expected = item;
      if (head_.compare_exchange_strong(expected, item->next.load(relaxed), relaxed, relaxed)) {
        write_barrier();
        item->next.store(nullptr, relaxed);
        return item;
      }
      item->taken.store(0, relaxed);
    }
  }

 private:
  std::atomic<Item*> head_{nullptr};
};

static Lifo lifo;
static Item items[2];

static void use_one() {
  Item* item = lifo.pop();
  if (item == nullptr) return;
  assert(item->users.fetch_add(1) == 0);
  item->users.fetch_sub(1);
  lifo.push(item);
}

int main() {
  lifo.push(&items[0]);
  lifo.push(&items[1]);
  std::thread other(use_one);
  use_one();
  other.join();
  int left = 0;
  while (lifo.pop() != nullptr) ++left;
  assert(left == 2);
}
