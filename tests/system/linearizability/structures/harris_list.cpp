// The sorted list of Harris (A pragmatic implementation of non-blocking linked-lists, 2001): erase marks the link of a
// node before it takes the node out of the list. Nodes are not used again.
//
// 1: erase does not mark the link, so that a node which is inserted behind the erased one is lost. 2: contains does not
// look at the mark. 3: insert publishes a node by a relaxed compare-exchange.
#include <atomic>
#include <cstdint>

#include "structure.hpp"

template <int broken>
class List {
 public:
  bool insert(int key) {
    Node* node = new Node{key};
    for (;;) {
      const Place place = find(key);
      if (place.found->key.load(std::memory_order_relaxed) == key) return false;
      node->next.store(link_to(place.found), std::memory_order_relaxed);
      Link expected = link_to(place.found);
      if (place.before->next.compare_exchange_strong(
              expected, link_to(node), broken == 3 ? std::memory_order_relaxed : std::memory_order_release))
        return true;
    }
  }

  bool erase(int key) {
    for (;;) {
      const Place place = find(key);
      if (place.found->key.load(std::memory_order_relaxed) != key) return false;
      Link next = place.found->next.load(std::memory_order_acquire);
      if (is_marked(next)) continue;
      Link expected = link_to(place.found);
      if (broken == 1) {
        if (place.before->next.compare_exchange_strong(expected, next, std::memory_order_acq_rel)) return true;
        continue;
      }
      if (!place.found->next.compare_exchange_strong(next, next | marked, std::memory_order_acq_rel)) continue;
      place.before->next.compare_exchange_strong(expected, next, std::memory_order_release);
      return true;
    }
  }

  bool contains(int key) const {
    const Node* node = &head_;
    while (node->key.load(std::memory_order_relaxed) < key) node = node_of(node->next.load(std::memory_order_acquire));
    return node->key.load(std::memory_order_relaxed) == key &&
           (broken == 2 || !is_marked(node->next.load(std::memory_order_acquire)));
  }

 private:
  using Link = std::uintptr_t;  // a node, and the mark of the node that has the link
  static constexpr Link marked = 1;
  struct Node {
    explicit Node(int given) { key.store(given, std::memory_order_relaxed); }
    std::atomic<int> key{0};
    std::atomic<Link> next{0};
  };
  static Link link_to(const Node* node) { return reinterpret_cast<Link>(node); }
  static Node* node_of(Link link) { return reinterpret_cast<Node*>(link & ~marked); }
  static bool is_marked(Link link) { return (link & marked) != 0; }

  struct Place {
    Node* before;
    Node* found;  ///< the first one whose key is not less
  };
  Place find(int key) {
    for (;;) {
      Node* before = &head_;
      Node* node = node_of(before->next.load(std::memory_order_acquire));
      for (;;) {
        const Link next = node->next.load(std::memory_order_acquire);
        if (is_marked(next)) {
          Link expected = link_to(node);
          if (!before->next.compare_exchange_strong(expected, next & ~marked, std::memory_order_acq_rel)) break;
          node = node_of(next);
          continue;
        }
        if (node->key.load(std::memory_order_relaxed) >= key) return {before, node};
        before = node;
        node = node_of(next);
      }
    }
  }

  Node tail_{1000};
  Node head_{-1};

 public:
  List() { head_.next.store(link_to(&tail_), std::memory_order_relaxed); }
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<List<broken>>("list", heddle::specification::set<int>())
      .operation("insert", [](auto& set, int key) { return set.insert(key); }, {1, 2})
      .operation("erase", [](auto& set, int key) { return set.erase(key); }, {1, 2})
      .operation("contains", [](auto& set, int key) { return set.contains(key); }, {2})
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("contains", &List<broken>::contains, &heddle::specification::set<int>::contains, {1, 2})
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>, test<3>}); }
