// The value is changed, but nobody is notified: only threads that are left alone for long get as far as to sleep.
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
