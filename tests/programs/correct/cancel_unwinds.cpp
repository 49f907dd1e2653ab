// In C++, cancellation unwinds the stack: destructors run, and a handler for abi::__forced_unwind must throw it again.
// heddle: clean
// heddle-levels: -O0 -O2
#include <cxxabi.h>
#include <pthread.h>

#include <cassert>
#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable condition;
static int unwound, caught;

struct Counts {
  ~Counts() { ++unwound; }
};

static void* waits(void*) {
  Counts outer;
  try {
    std::unique_lock lock(mutex);
    Counts inner;
    for (;;) condition.wait(lock);
  } catch (abi::__forced_unwind&) {
    ++caught;
    throw;
  }
  return nullptr;
}

int main() {
  pthread_t thread;
  void* result = nullptr;
  pthread_create(&thread, nullptr, waits, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  assert(unwound == 2 && caught == 1);
  std::lock_guard lock(mutex);
}
