// A hazard pointer: the reader announces the object that it uses, and the writer destroys an object that it has
// replaced only after no announcement names it. Destroying is a plain write here.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Object {
  int value;
};

Object objects[most_threads];
std::atomic<Object*> current{&objects[0]};
std::atomic<Object*> hazard{nullptr};

void read() {
  Object* object = current.load(std::memory_order_seq_cst);
  for (;;) {
    hazard.store(object, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Object* again = current.load(std::memory_order_seq_cst);
    if (again == object) break;
    object = again;
  }
  assert(object->value != -1);
  hazard.store(nullptr, std::memory_order_seq_cst);
}

void replace(Object* fresh, int value) {
  fresh->value = value;
  Object* old = current.exchange(fresh, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (hazard.load(std::memory_order_seq_cst) == old) {
  }
  old->value = -1;
}

int main(int argc, char** argv) {
  const int writes = argument(argc, argv, 1, 1);
  in_threads(2, [writes](int self) {
    if (self == 1) return read();
    for (int i = 1; i <= writes; ++i) replace(&objects[i], i);
  });
  return 0;
}
