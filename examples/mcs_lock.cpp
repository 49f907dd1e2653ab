// The queue lock of Mellor-Crummey and Scott, every operation seq_cst. Heddle says: nothing. docs/orders.md weakens it.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> is_waiting{false};
};

class McsLock {
 public:
  void lock(Node& node) {
    node.next.store(nullptr);
    Node* before = last_.exchange(&node);
    if (before == nullptr) return;
    node.is_waiting.store(true);
    before->next.store(&node);
    while (node.is_waiting.load()) std::this_thread::yield();
  }

  void unlock(Node& node) {
    Node* after = node.next.load();
    if (after == nullptr) {
      Node* expected = &node;
      if (last_.compare_exchange_strong(expected, nullptr)) return;
      while ((after = node.next.load()) == nullptr) std::this_thread::yield();
    }
    after->is_waiting.store(false);
  }

 private:
  std::atomic<Node*> last_{nullptr};
};

static McsLock lock;
static int counter;

int main(int argc, char**) {
  const int rounds = argc > 1 ? 2 : 1;
  auto increment = [rounds] {
    Node node;
    for (int i = 0; i < rounds; ++i) {
      lock.lock(node);
      ++counter;
      lock.unlock(node);
    }
  };
  std::thread a(increment), b(increment);
  a.join();
  b.join();
  assert(counter == 2 * rounds);
}
