// Read-copy-update: readers follow a pointer and say when they hold none; the writer publishes a copy, and destroys the
// old object after every reader has said so since. Destroying is a plain write here.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Object {
  int value;
};

Object objects[2];
std::atomic<Object*> current{&objects[0]};
std::atomic<bool> is_quiescent[most_threads];

void read(int self) {
  const Object* object = current.load(std::memory_order_seq_cst);
  assert(object->value == 0 || object->value == 1);
  is_quiescent[self].store(true, std::memory_order_seq_cst);
}

void update(int readers) {
  objects[1].value = 1;
  current.store(&objects[1], std::memory_order_seq_cst);
  for (int reader = 1; reader <= readers; ++reader)
    while (!is_quiescent[reader].load(std::memory_order_seq_cst)) {
    }
  objects[0].value = -1;
}

int main(int argc, char** argv) {
  const int readers = argument(argc, argv, 1, 1);
  in_threads(1 + readers, [readers](int self) { self == 0 ? update(readers) : read(self); });
  return 0;
}
