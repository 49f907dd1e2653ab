// A CLH lock: a thread marks its node as pending and exchanges it in. If the exchange does not release, the next thread
// may still see the node as it was granted before, and enters as well.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto exchanged = std::memory_order_acq_rel;
#else
constexpr auto exchanged = std::memory_order_acquire;
#endif

enum State { granted, pending };

struct Node {
  std::atomic<State> state{granted};
};

static Node nodes[3];
static std::atomic<Node*> head{&nodes[2]};

struct Processor {
  Node* own;
  Node* previous = nullptr;
};

static void acquire(Processor& self) {
  self.own->state.store(pending, std::memory_order_relaxed);
  self.previous = head.exchange(self.own, exchanged);  // upstream fix: acq_rel
  while (self.previous->state.load(std::memory_order_acquire) != granted) std::this_thread::yield();
}

static void release(Processor& self) {
  self.own->state.store(granted, std::memory_order_release);
  self.own = self.previous;
}

static int counter = 0;

static void work(Node& node) {
  Processor self{&node};
  for (int i = 0; i < 2; ++i) {
    acquire(self);
    ++counter;
    release(self);
  }
}

int main() {
  std::thread other([] { work(nodes[1]); });
  work(nodes[0]);
  other.join();
  assert(counter == 4);
}
