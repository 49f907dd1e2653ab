// A filter that is created when it is first needed: the pointer to it is published by a relaxed store.
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

#ifdef MENDED
constexpr auto published = std::memory_order_release;
constexpr auto looked_up = std::memory_order_acquire;
#else
constexpr auto published = std::memory_order_relaxed;
constexpr auto looked_up = std::memory_order_relaxed;
#endif

class Filter {
 public:
  explicit Filter(int words) : words_(words), bits_(new std::atomic<unsigned>[static_cast<size_t>(words)] {}) {}
  void add(unsigned hash) { word(hash).fetch_or(1u << (hash % 32), std::memory_order_relaxed); }
  bool may_contain(unsigned hash) { return (word(hash).load(std::memory_order_relaxed) >> (hash % 32)) & 1; }

 private:
  std::atomic<unsigned>& word(unsigned hash) { return bits_[hash / 32 % static_cast<unsigned>(words_)]; }

  int words_;
  std::unique_ptr<std::atomic<unsigned>[]> bits_;
};

class Table {
 public:
  void insert(unsigned key) { filter()->add(key); }
  bool may_contain(unsigned key) { return filter()->may_contain(key); }

 private:
  Filter* filter() {
    Filter* present = pointer_.load(looked_up);  // upstream fix: acquire
    if (present == nullptr) {
      std::lock_guard hold(creation_);
      present = pointer_.load(std::memory_order_relaxed);
      if (present == nullptr) {
        owner_ = std::make_unique<Filter>(2);
        present = owner_.get();
        pointer_.store(present, published);  // upstream fix: release
      }
    }
    return present;
  }

  std::atomic<Filter*> pointer_{nullptr};
  std::mutex creation_;
  std::unique_ptr<Filter> owner_;
};

int main() {
  Table table;
  auto use = [&](unsigned key) {
    table.insert(key);
    assert(table.may_contain(key));
  };
  std::thread other([&] {
    use(3);
    use(40);
  });
  use(5);
  use(41);
  other.join();
}
