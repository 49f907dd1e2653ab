// std::jthread joins when it goes away; its stop_token and stop_callback tell the thread to end.
// heddle: clean
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
  int result = 0;
  {
    std::jthread joins([&] { result = 1; });
  }
  assert(result == 1);

  std::atomic<int> callbacks{0};
  {
    std::jthread loops([&](std::stop_token token) {
      std::stop_callback callback(token, [&] { callbacks.fetch_add(1); });
      while (!token.stop_requested()) std::this_thread::yield();
      result = 2;
    });
    assert(loops.get_stop_token().stop_possible());
    assert(loops.request_stop());
    assert(!loops.request_stop());
  }
  assert(result == 2 && callbacks == 1);
}
