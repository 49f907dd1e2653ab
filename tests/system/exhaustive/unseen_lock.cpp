// Two threads access a variable under a spin lock, one of them in a function without instrumentation. Both find the
// lock free, whether they come first or last, so what they have read does not tell what they find in the variable.
//
// usage: unseen_lock HIDDEN VALUE
// HIDDEN: the function resets the variable (0), or takes a copy of it (1).
// If the variable, or the copy, is VALUE at the end, an assertion fails: 0 and 5 both occur.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

std::atomic<int> locked;
int variable;

void lock() {
  while (locked.exchange(1, std::memory_order_acquire) != 0) {
  }
}
void unlock() { locked.store(0, std::memory_order_release); }

__attribute__((noinline, no_sanitize("thread"))) void reset(int& number) { number = 0; }
__attribute__((noinline, no_sanitize("thread"))) int copy(const int& number) { return number; }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool copies = std::atoi(argv[1]) != 0;
  const int value = std::atoi(argv[2]);
  std::thread writer([] {
    lock();
    variable = 5;
    unlock();
  });
  std::thread other([=] {
    lock();
    int found = -1;
    if (copies)
      found = copy(variable);
    else
      reset(variable);
    unlock();
    assert(found != value);
  });
  writer.join();
  other.join();
  if (!copies) assert(variable != value);
}
