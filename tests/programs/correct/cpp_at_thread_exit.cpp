// Futures that become ready when a thread ends, and a notification at that time. What the thread did before, the
// destructors of its thread-local variables included, happens before.
// heddle: clean
// heddle-runs: 500
#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

static int plain, from_task, from_void;
static std::mutex mutex;
static std::condition_variable done;
static bool is_done;

int main() {
  std::promise<int> promise;
  std::future<int> result = promise.get_future();
  std::thread first([promise = std::move(promise)]() mutable {
    promise.set_value_at_thread_exit(7);
    plain = 1;
  });

  std::packaged_task<int(int)> task([](int number) { return number + 1; });
  std::future<int> task_result = task.get_future();
  std::thread second([task = std::move(task)]() mutable {
    task.make_ready_at_thread_exit(1);
    from_task = 1;
  });

  std::promise<void> nothing;
  std::future<void> end = nothing.get_future();
  std::thread third([nothing = std::move(nothing)]() mutable {
    nothing.set_value_at_thread_exit();
    from_void = 1;
  });

  std::thread fourth([] {
    std::unique_lock<std::mutex> lock(mutex);
    is_done = true;
    std::notify_all_at_thread_exit(done, std::move(lock));
  });

  assert(result.get() == 7 && plain == 1);
  assert(task_result.get() == 2 && from_task == 1);
  end.get();
  assert(from_void == 1);
  {
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [] { return is_done; });
  }
  first.join();
  second.join();
  third.join();
  fourth.join();
}
