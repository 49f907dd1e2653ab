// A cache that hands out raw pointers: the mutex protects the map, but not what the pointer points to.
// Heddle says: use after free of the `std::string` that another thread has just evicted.
// heddle: finds use-after-free
// heddle-also: race
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

class Cache {
 public:
  void put(int key, std::string value) {
    std::lock_guard guard(mutex_);
    entries_[key] = std::make_unique<std::string>(std::move(value));
  }
  const std::string* find(int key) {  // a std::shared_ptr would be right
    std::lock_guard guard(mutex_);
    auto entry = entries_.find(key);
    return entry == entries_.end() ? nullptr : entry->second.get();
  }
  void evict(int key) {
    std::lock_guard guard(mutex_);
    entries_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<std::string>> entries_;
};

static std::atomic<int> lookups{0};

int main() {
  Cache cache;
  cache.put(1, "a string that is long enough to live on the heap");
  std::size_t length = 0;
  std::thread reader([&] {
    const std::string* entry = cache.find(1);
    ++lookups;
    if (entry != nullptr) length = entry->size();
  });
  cache.evict(1);
  reader.join();
  return length > 1000;
}
