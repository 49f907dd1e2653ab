// The value is changed, but no thread is notified. A thread sleeps only after it has waited alone for long.
// heddle: finds deadlock
// heddle-runs: 5000
// heddle-options: -s random:switch=0.05
#include <atomic>
#include <thread>

static std::atomic<int> stage{0};

int main() {
  std::thread setter([] { stage.store(1); });
  stage.wait(0);
  setter.join();
}
