// A generous time limit is still a limit.
// heddle: finds assert
// heddle-mentions: the finding needs a timed wait of 10 s to end before a thread that was ready ran
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread slow([&] { promise.set_value(1); });
  const auto status = future.wait_for(std::chrono::seconds(10));
  assert(status == std::future_status::ready);
  slow.join();
}
