// std::mutex, recursive_mutex, timed_mutex and recursive_timed_mutex, through lock_guard, unique_lock and try_lock.
// heddle: clean
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::recursive_timed_mutex both;
static int a, b, c, d;

static void work() {
  {
    std::lock_guard guard(plain);
    ++a;
  }
  {
    std::lock_guard outer(recursive);
    std::lock_guard inner(recursive);
    ++b;
  }
  if (std::unique_lock guard(timed, 1ms); guard.owns_lock()) ++c;
  if (both.try_lock_for(1ms)) {
    if (both.try_lock()) {
      ++d;
      both.unlock();
    }
    both.unlock();
  }
  if (plain.try_lock()) {
    a += 10;
    plain.unlock();
  }
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(a >= 2 && b == 2 && c <= 2 && d <= 2);
}
