// The lazy list of Heller et al. (A lazy concurrent list-based set algorithm, 2005) against its sequential twin: see
// docs/linearizability.md. Nodes are not freed before the list is.
//
// With BROKEN, insert and erase do not look whether another thread has removed the node before their place in the list,
// until they have its lock. What they change behind such a node is lost.
#include <atomic>
#include <climits>
#include <heddle/linearizable.hpp>
#include <mutex>

class LazyList {
 public:
  LazyList() { head_.next.store(&tail_, std::memory_order_relaxed); }
  ~LazyList() {
    for (Node* node = made_; node != nullptr;) {
      Node* next = node->made_before;
      delete node;
      node = next;
    }
  }
  LazyList(const LazyList&) = delete;
  LazyList& operator=(const LazyList&) = delete;

  bool insert(int key) {
    for (;;) {
      auto [before, node] = find(key);
      const std::scoped_lock locks(before->mutex, node->mutex);
      if (!is_valid(*before, *node)) continue;
      if (node->key == key) return false;
      before->next.store(make(key, node), std::memory_order_release);
      return true;
    }
  }

  bool erase(int key) {
    for (;;) {
      auto [before, node] = find(key);
      const std::scoped_lock locks(before->mutex, node->mutex);
      if (!is_valid(*before, *node)) continue;
      if (node->key != key) return false;
      node->is_erased.store(true, std::memory_order_release);
      before->next.store(node->next.load(std::memory_order_relaxed), std::memory_order_release);
      return true;
    }
  }

  bool contains(int key) const {
    const Node* node = &head_;
    while (node->key < key) node = node->next.load(std::memory_order_acquire);
    return node->key == key && !node->is_erased.load(std::memory_order_acquire);
  }

 private:
  struct Node {
    explicit Node(int given) : key(given) {}
    const int key;
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> is_erased{false};
    std::mutex mutex;
    Node* made_before = nullptr;
  };
  struct Place {
    Node* before;
    Node* node;
  };

  Place find(int key) {
    Node* before = &head_;
    Node* node = before->next.load(std::memory_order_acquire);
    while (node->key < key) {
      before = node;
      node = node->next.load(std::memory_order_acquire);
    }
    return {before, node};
  }
  static bool is_valid(const Node& before, const Node& node) {
#ifndef BROKEN
    if (before.is_erased.load(std::memory_order_relaxed)) return false;
#endif
    return !node.is_erased.load(std::memory_order_relaxed) && before.next.load(std::memory_order_relaxed) == &node;
  }
  Node* make(int key, Node* next) {
    Node* node = new Node(key);
    node->next.store(next, std::memory_order_relaxed);
    const std::scoped_lock lock(made_mutex_);
    node->made_before = made_;
    return made_ = node;
  }

  Node head_{INT_MIN};
  Node tail_{INT_MAX};
  std::mutex made_mutex_;
  Node* made_ = nullptr;
};

int main() {
  return heddle::linearizable<LazyList>("set", heddle::specification::set<int>())
      .operation("insert", [](auto& set, int key) { return set.insert(key); }, {1, 2})
      .operation("erase", [](auto& set, int key) { return set.erase(key); }, {1, 2})
      .operation("contains", [](auto& set, int key) { return set.contains(key); }, {1, 2})
      .up_to(3, 2)
      .finally("contains")
      .run();
}
