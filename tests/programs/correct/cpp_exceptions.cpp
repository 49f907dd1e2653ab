// Exceptions thrown and caught inside threads, across a switch to another thread, and carried by exception_ptr.
// heddle: clean
#include <atomic>
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static std::atomic<int> turns{0};

static void fail(int depth) {
  struct Guard {
    ~Guard() { turns.fetch_add(1); }
  } guard;
  if (depth == 0) throw std::runtime_error("deep down");
  fail(depth - 1);
}

int main() {
  std::exception_ptr caught;
  std::thread a([&] {
    try {
      fail(3);
    } catch (...) {
      turns.fetch_add(1);
      caught = std::current_exception();
    }
  });
  std::thread b([] {
    try {
      fail(2);
      assert(false);
    } catch (const std::exception& error) {
      turns.fetch_add(1);
      assert(std::string(error.what()) == "deep down");
    }
    assert(std::uncaught_exceptions() == 0);
  });
  a.join();
  b.join();
  assert(turns == 4 + 1 + 3 + 1);
  try {
    std::rethrow_exception(caught);
  } catch (const std::runtime_error& error) {
    assert(std::string(error.what()) == "deep down");
  }
}
