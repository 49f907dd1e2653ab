// The lazy list of Heller et al. (A lazy concurrent list-based set algorithm, 2005) against its sequential twin: see
// docs/linearizability.md. Nodes come from an array, and are not used again.
//
// With BROKEN, insert and erase do not look whether another thread has removed the node before their place in the list,
// until they have its lock. What they change behind such a node is lost.
#include <atomic>
#include <climits>
#include <heddle/linearizable.hpp>
#include <mutex>

class LazyList {
 public:
  LazyList() {
    head_.key = INT_MIN;
    tail_.key = INT_MAX;
    head_.next = &tail_;
  }

  bool insert(int key) {
    for (;;) {
      auto [before, node] = find(key);
      const std::lock_guard lock_before(before->mutex);
      const std::lock_guard lock_node(node->mutex);
      if (!is_valid(*before, *node)) continue;
      if (node->key.load(std::memory_order_relaxed) == key) return false;
      before->next.store(make(key, node), std::memory_order_release);
      return true;
    }
  }

  bool erase(int key) {
    for (;;) {
      auto [before, node] = find(key);
      const std::lock_guard lock_before(before->mutex);
      const std::lock_guard lock_node(node->mutex);
      if (!is_valid(*before, *node)) continue;
      if (node->key.load(std::memory_order_relaxed) != key) return false;
      node->is_erased.store(true, std::memory_order_release);
      before->next.store(node->next.load(std::memory_order_relaxed), std::memory_order_release);
      return true;
    }
  }

  bool contains(int key) const {
    const Node* node = &head_;
    while (node->key.load(std::memory_order_relaxed) < key) node = node->next.load(std::memory_order_acquire);
    return node->key.load(std::memory_order_relaxed) == key && !node->is_erased.load(std::memory_order_acquire);
  }

 private:
  struct Node {
    std::atomic<int> key{0};
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> is_erased{false};
    std::mutex mutex;
  };
  struct Place {
    Node* before;
    Node* node;
  };

  Place find(int key) {
    Node* before = &head_;
    Node* node = before->next.load(std::memory_order_acquire);
    while (node->key.load(std::memory_order_relaxed) < key) {
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
    Node* node = &nodes_[used_.fetch_add(1, std::memory_order_relaxed)];
    node->key.store(key, std::memory_order_relaxed);
    node->next.store(next, std::memory_order_relaxed);
    return node;
  }

  Node head_;
  Node tail_;
  Node nodes_[32];
  std::atomic<int> used_{0};
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
