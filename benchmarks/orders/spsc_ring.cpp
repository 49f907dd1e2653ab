// A ring for one producer and one consumer. Its only slot is used ITEMS times: PROGRAM [ITEMS].
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

constexpr unsigned capacity = 1;
int slots[capacity];
std::atomic<unsigned> head, tail;

bool push(int value) {
  const unsigned at = tail.load(std::memory_order_seq_cst);
  if (at - head.load(std::memory_order_seq_cst) == capacity) return false;
  slots[at % capacity] = value;
  tail.store(at + 1, std::memory_order_seq_cst);
  return true;
}

bool pop(int& value) {
  const unsigned at = head.load(std::memory_order_seq_cst);
  if (at == tail.load(std::memory_order_seq_cst)) return false;
  value = slots[at % capacity];
  head.store(at + 1, std::memory_order_seq_cst);
  return true;
}

int main(int argc, char** argv) {
  const int items = argument(argc, argv, 1, 2);
  in_threads(2, [items](int self) {
    for (int item = 1; item <= items; ++item) {
      if (self == 0) {
        while (!push(item)) {
        }
      } else {
        int value = 0;
        while (!pop(value)) {
        }
        assert(value == item);
      }
    }
  });
  return 0;
}
