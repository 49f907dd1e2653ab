// The counts of a shared_ptr are safe to share; the shared_ptr itself is not.
// heddle: finds race
// heddle-also: use-after-free, crash, double-free
// heddle-mentions: current
#include <memory>
#include <thread>

static std::shared_ptr<int> current = std::make_shared<int>(1);

int main() {
  std::thread writer([] { current = std::make_shared<int>(2); });
  std::shared_ptr<int> mine = current;
  writer.join();
}
