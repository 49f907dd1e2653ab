// Initialisation at the first use: a thread looks at the pointer without the mutex, and again with it.
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Table {
  int value = 0;
};

Table table;
std::atomic<Table*> ready{nullptr};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

Table* instance() {
  Table* found = ready.load(std::memory_order_seq_cst);
  if (found != nullptr) return found;
  pthread_mutex_lock(&mutex);
  found = ready.load(std::memory_order_seq_cst);
  if (found == nullptr) {
    found = &table;
    ++found->value;
    ready.store(found, std::memory_order_seq_cst);
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

int main(int argc, char** argv) {
  in_threads(argument(argc, argv, 1, 2), [](int) { assert(instance()->value == 1); });
  return 0;
}
