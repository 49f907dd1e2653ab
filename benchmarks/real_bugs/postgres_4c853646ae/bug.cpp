// A lock's holder takes waiting processes off the queue: it clears a process's link, then says that the process no
// longer waits. If these become visible in the other order, the link that the process sets for the next queue is
// cleared.
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#ifdef MENDED
constexpr auto told = std::memory_order_release;
constexpr auto asked = std::memory_order_acquire;
#else
constexpr auto told = std::memory_order_relaxed;
constexpr auto asked = std::memory_order_relaxed;
#endif

struct Process {
  std::atomic<Process*> link{nullptr};
  std::atomic<bool> waiting{false};
  sem_t semaphore;
  Process() { sem_init(&semaphore, 0, 0); }
  ~Process() { sem_destroy(&semaphore); }
};

static Process last, waiter, other_waiter;

static void release_lock() {
  Process* head = &waiter;
  while (head != nullptr) {
    Process* process = head;
    head = process->link.load(relaxed);
    process->link.store(nullptr, relaxed);
    process->waiting.store(false, told);  // upstream fix: release fence before this
    sem_post(&process->semaphore);
  }
}

int main() {
  waiter.waiting = last.waiting = true;
  waiter.link = &last;
  std::thread holder(release_lock);
  // The semaphore has other uses, so it may be posted before the process is released.
  std::thread unrelated([] { sem_post(&waiter.semaphore); });
  int extra = 0;
  while (true) {
    sem_wait(&waiter.semaphore);
    if (!waiter.waiting.load(asked)) break;
    ++extra;
  }
  waiter.link.store(&other_waiter, relaxed);  // The process enters the queue of another lock.
  holder.join();
  unrelated.join();
  assert(waiter.link.load(relaxed) == &other_waiter);
}
