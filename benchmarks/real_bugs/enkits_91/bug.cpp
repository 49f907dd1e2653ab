// The last thread of a task says that the task is done, and looks for threads that wait for it. A waiting thread
// announces itself and looks whether the task is done. Both may look too early.
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

#if defined(MENDED)
constexpr auto done_stored = std::memory_order_seq_cst, waiters_read = std::memory_order_seq_cst;
constexpr auto announced = std::memory_order_seq_cst, done_read = std::memory_order_seq_cst;
#else
constexpr auto done_stored = std::memory_order_release, waiters_read = std::memory_order_acquire;
constexpr auto done_read = std::memory_order_acquire;
#ifdef UPSTREAM
constexpr auto announced = std::memory_order_acq_rel;
#else
constexpr auto announced = std::memory_order_acquire;
#endif
#endif

struct Task {
  std::atomic<int> running{1};
  std::atomic<int> waiting{0};
  sem_t finished;
  int result = 0;
  Task() { sem_init(&finished, 0, 0); }
  ~Task() { sem_destroy(&finished); }
};

static void complete(Task& task) {
  task.result = 7;
  task.running.store(0, done_stored);        // upstream fix: seq_cst
  if (task.waiting.load(waiters_read) != 0)  // upstream fix: seq_cst
    sem_post(&task.finished);
}

static void wait_for(Task& task) {
  while (task.running.load(std::memory_order_acquire) != 0) {
    task.waiting.fetch_add(1, announced);   // upstream fix: seq_cst (first acq_rel)
    if (task.running.load(done_read) != 0)  // upstream fix: seq_cst
      sem_wait(&task.finished);
    task.waiting.fetch_sub(1, std::memory_order_release);
  }
}

int main() {
  Task tasks[2];
  std::thread worker([&] {
    complete(tasks[0]);
    complete(tasks[1]);
  });
  for (Task& task : tasks) {
    wait_for(task);
    assert(task.result == 7);
  }
  worker.join();
}
