// A set in two buckets, each with a lock of its own.
//
// 1: contains takes no lock and reads by a relaxed load. 2: erase takes the lock of the other bucket.
#include <pthread.h>

#include <atomic>

#include "structure.hpp"

template <int broken>
class HashSet {
 public:
  HashSet() {
    for (Bucket& bucket : buckets_) ::pthread_mutex_init(&bucket.mutex, nullptr);
  }

  bool insert(int key) {
    Bucket& bucket = buckets_[key % 2];
    const Locked locked(bucket);
    return change(bucket, key, true);
  }
  bool erase(int key) {
    Bucket& bucket = buckets_[key % 2];
    const Locked locked(broken == 2 ? buckets_[(key + 1) % 2] : bucket);
    return change(bucket, key, false);
  }
  bool contains(int key) {
    Bucket& bucket = buckets_[key % 2];
    if (broken == 1) return bucket.has[key / 2].load(std::memory_order_relaxed);
    const Locked locked(bucket);
    return bucket.has[key / 2].load(std::memory_order_relaxed);
  }

 private:
  struct Bucket {
    pthread_mutex_t mutex;
    std::atomic<bool> has[2] = {};
  };
  class Locked {
   public:
    explicit Locked(Bucket& bucket) : bucket_(bucket) { ::pthread_mutex_lock(&bucket_.mutex); }
    ~Locked() { ::pthread_mutex_unlock(&bucket_.mutex); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    Bucket& bucket_;
  };

  static bool change(Bucket& bucket, int key, bool is_in) {
    std::atomic<bool>& has = bucket.has[key / 2];
    const bool was_in = has.load(std::memory_order_relaxed);
    has.store(is_in, std::memory_order_relaxed);
    return was_in != is_in;
  }

  Bucket buckets_[2];
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<HashSet<broken>>("set", heddle::specification::set<int>())
      .operation("insert", [](auto& set, int key) { return set.insert(key); }, {1, 2})
      .operation("erase", [](auto& set, int key) { return set.erase(key); }, {1})
      .operation("contains", [](auto& set, int key) { return set.contains(key); }, {1, 2})
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("contains")
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
