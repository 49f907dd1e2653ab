// A promise hands a value, or an exception, to its future; a shared_future to several threads.
// heddle: clean
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

int main() {
  std::promise<std::string> promise;
  std::shared_future<std::string> future = promise.get_future().share();
  std::thread reader([future] { assert(future.get() == "hello"); });
  std::thread writer([&] { promise.set_value("hello"); });
  future.wait();
  assert(future.get().size() == 5);
  reader.join();
  writer.join();

  std::promise<void> broken;
  auto result = broken.get_future();
  std::thread thrower([&] { broken.set_exception(std::make_exception_ptr(std::logic_error("no"))); });
  if (result.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout) result.wait();
  try {
    result.get();
    assert(false);
  } catch (const std::logic_error&) {
  }
  thrower.join();
}
