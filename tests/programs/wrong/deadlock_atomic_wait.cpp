// The value is changed, but nobody is notified.
// heddle: finds deadlock
#include <atomic>
#include <thread>

static std::atomic<int> stage{0};

int main() {
  std::thread setter([] { stage.store(1); });
  stage.wait(0);
  setter.join();
}
