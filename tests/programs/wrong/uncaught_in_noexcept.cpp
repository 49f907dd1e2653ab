// An exception meets a noexcept function on its way out.
// heddle: finds uncaught-exception
#include <stdexcept>
#include <thread>

static void promise_nothing() noexcept {
  volatile bool fails = true;
  if (fails) throw std::logic_error("promised");
}

int main() {
  std::thread worker([] {
    try {
      promise_nothing();
    } catch (...) {
    }
  });
  worker.join();
}
