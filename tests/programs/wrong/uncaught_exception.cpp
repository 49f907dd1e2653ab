// An exception leaves a thread's function, depending on who was first.
// heddle: finds uncaught-exception
// heddle-mentions: too late
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<bool> closed{false};

int main() {
  std::thread worker([] {
    if (closed) throw std::runtime_error("too late");
  });
  closed = true;
  worker.join();
}
