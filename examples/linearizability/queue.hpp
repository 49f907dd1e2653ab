// The queue of Michael and Scott (Simple, fast, and practical non-blocking and blocking concurrent queue algorithms,
// 1996). Nodes come from an array, and are not used again.
//
// With BROKEN, push publishes a node by a relaxed compare-exchange: a thread that finds the node may not find its
// value.
#pragma once

#include <atomic>
#include <optional>

template <typename T>
class Queue {
 public:
  void push(T value) {
    Node* node = &nodes_[used_.fetch_add(1, std::memory_order_relaxed)];
    node->value.store(value, std::memory_order_relaxed);
    for (;;) {
      Node* last = tail_.load(std::memory_order_acquire);
      Node* next = last->next.load(std::memory_order_acquire);
      if (next != nullptr) {  // another push has not moved the tail yet
        tail_.compare_exchange_strong(last, next, std::memory_order_acq_rel);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node, publication)) {
        tail_.compare_exchange_strong(last, node, std::memory_order_acq_rel);
        return;
      }
    }
  }

  std::optional<T> try_pop() {
    for (;;) {
      Node* dummy = head_.load(std::memory_order_acquire);
      Node* next = dummy->next.load(std::memory_order_acquire);
      if (next == nullptr) return std::nullopt;
      const T value = next->value.load(std::memory_order_relaxed);
      if (head_.compare_exchange_strong(dummy, next, std::memory_order_acq_rel)) return value;
    }
  }

 private:
  struct Node {
    std::atomic<T> value{};
    std::atomic<Node*> next{nullptr};
  };
#ifdef BROKEN
  static constexpr std::memory_order publication = std::memory_order_relaxed;
#else
  static constexpr std::memory_order publication = std::memory_order_release;
#endif

  Node nodes_[32];
  std::atomic<int> used_{1};
  std::atomic<Node*> head_{&nodes_[0]};
  std::atomic<Node*> tail_{&nodes_[0]};
};
