// Reclamation by epochs: a reader announces the epoch in which it uses objects. The writer begins a new epoch after it
// has replaced an object, and destroys the object after no reader is in an older epoch. Destroying is a plain write
// here.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Object {
  int value;
};

constexpr unsigned outside = 0;
Object objects[most_threads];
std::atomic<Object*> current{&objects[0]};
std::atomic<unsigned> epoch{1};
std::atomic<unsigned> announced{outside};

void read() {
  const unsigned now = epoch.load(std::memory_order_seq_cst);
  announced.store(now, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Object* object = current.load(std::memory_order_seq_cst);
  assert(object->value != -1);
  announced.store(outside, std::memory_order_seq_cst);
}

void replace(Object* fresh, int value) {
  fresh->value = value;
  Object* old = current.exchange(fresh, std::memory_order_seq_cst);
  const unsigned now = epoch.fetch_add(1, std::memory_order_seq_cst) + 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (;;) {
    const unsigned seen = announced.load(std::memory_order_seq_cst);
    if (seen == outside || seen >= now) break;
  }
  old->value = -1;
}

int main(int argc, char** argv) {
  const int reads = argument(argc, argv, 1, 2);
  in_threads(2, [reads](int self) {
    if (self == 0) return replace(&objects[1], 1);
    for (int i = 0; i < reads; ++i) read();
  });
  return 0;
}
