// A detached std::thread hands its result over through a promise that it owns.
// heddle: clean
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable { promise.set_value(11); }).detach();
  assert(future.get() == 11);
}
