// The lazy list of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (A lazy concurrent list-based set algorithm,
// 2005): insert and erase lock two nodes; contains takes no lock. Nodes are not used again.
//
// 1: erase does not mark the node, so that a node which is inserted behind the erased one is lost. 2: insert does not
// look again, with the locks, whether its place is still there. 3: contains misses a key that is there, since insert
// links the node before it has its link.
#include <pthread.h>

#include <atomic>

#include "structure.hpp"

template <int broken>
class List {
 public:
  List() { head_.next.store(&tail_, std::memory_order_relaxed); }

  bool insert(int key) {
    Node* node = new Node(key);
    for (;;) {
      const Place place = find(key);
      const Locked locked(place);
      if (broken != 2 && !is_valid(place)) continue;
      if (place.found->key == key) return false;
      if (broken == 3) place.before->next.store(node, std::memory_order_release);
      node->next.store(place.found, std::memory_order_release);
      if (broken != 3) place.before->next.store(node, std::memory_order_release);
      return true;
    }
  }

  bool erase(int key) {
    for (;;) {
      const Place place = find(key);
      const Locked locked(place);
      if (!is_valid(place)) continue;
      if (place.found->key != key) return false;
      if (broken != 1) place.found->is_marked.store(true, std::memory_order_release);
      place.before->next.store(place.found->next.load(std::memory_order_relaxed), std::memory_order_release);
      return true;
    }
  }

  bool contains(int key) const {
    const Node* node = &head_;
    while (node != nullptr && node->key < key) node = node->next.load(std::memory_order_acquire);
    return node != nullptr && node->key == key && !node->is_marked.load(std::memory_order_acquire);
  }

 private:
  struct Node {
    explicit Node(int given) : key(given) { ::pthread_mutex_init(&mutex, nullptr); }
    const int key;
    std::atomic<bool> is_marked{false};
    std::atomic<Node*> next{nullptr};
    pthread_mutex_t mutex;
  };
  struct Place {
    Node* before;
    Node* found;  ///< the first one whose key is not less
  };
  class Locked {
   public:
    explicit Locked(const Place& place) : place_(place) {
      ::pthread_mutex_lock(&place_.before->mutex);
      ::pthread_mutex_lock(&place_.found->mutex);
    }
    ~Locked() {
      ::pthread_mutex_unlock(&place_.found->mutex);
      ::pthread_mutex_unlock(&place_.before->mutex);
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    const Place place_;
  };

  Place find(int key) {
    for (;;) {
      Node* before = &head_;
      Node* node = before->next.load(std::memory_order_acquire);
      while (node != nullptr && node->key < key) {
        before = node;
        node = node->next.load(std::memory_order_acquire);
      }
      if (node != nullptr) return {before, node};
    }
  }
  static bool is_valid(const Place& place) {
    return !place.before->is_marked.load(std::memory_order_relaxed) &&
           !place.found->is_marked.load(std::memory_order_relaxed) &&
           place.before->next.load(std::memory_order_relaxed) == place.found;
  }

  Node head_{-1};
  Node tail_{1000};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<List<broken>>("list", heddle::specification::set<int>())
      .operation("insert", [](auto& set, int key) { return set.insert(key); }, {1, 2})
      .operation("erase", [](auto& set, int key) { return set.erase(key); }, {1})
      .operation("contains", [](auto& set, int key) { return set.contains(key); }, {2})
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("insert", 1)
      .finally("contains", &List<broken>::contains, &heddle::specification::set<int>::contains, {1, 2})
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>, test<3>}); }
