// A thread for blocking calls puts a result into a queue, and wakes the reactor if it sleeps. That the flag is read
// with seq_cst does not order the read behind the store into the queue.
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> completed{0};
static std::atomic<bool> is_idle{false};
static sem_t wake_up;

static void complete_call() {
  completed.store(completed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
#ifdef MENDED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (is_idle.load(std::memory_order_seq_cst)) sem_post(&wake_up);  // upstream fix: seq_cst fence before this
}

static void wait_for(int calls) {
  while (completed.load(std::memory_order_acquire) < calls) {
    is_idle.store(true, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // a barrier of the whole system
    if (completed.load(std::memory_order_acquire) < calls) sem_wait(&wake_up);
    is_idle.store(false, std::memory_order_relaxed);
  }
}

int main() {
  sem_init(&wake_up, 0, 0);
  std::thread worker([] {
    complete_call();
    complete_call();
  });
  wait_for(1);
  wait_for(2);
  worker.join();
  assert(completed.load() == 2);
}
