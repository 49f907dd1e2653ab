// A worker that fails forgets to count down.
// heddle: finds deadlock
#include <atomic>
#include <latch>
#include <thread>

static std::atomic<int> jobs{1};

int main() {
  std::latch done{2};
  auto work = [&] {
    if (jobs.fetch_sub(1) <= 0) return;  // nothing left to do, and no notification
    done.count_down();
  };
  std::thread a(work), b(work);
  done.wait();
  a.join();
  b.join();
}
