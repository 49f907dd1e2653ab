// A thread polls a volatile variable in its own frame.
#include <pthread.h>

#include <cstddef>

struct Countdown {
  volatile std::size_t left;
  void count_down() { __sync_fetch_and_sub(&left, 1); }
  void wait() {
    while (left > 0) __asm volatile("pause" : :);
  }
};

static void* work(void* argument) {
  static_cast<Countdown*>(argument)->count_down();
  return nullptr;
}

int main() {
  Countdown countdown{1};
  pthread_t thread;
  pthread_create(&thread, nullptr, work, &countdown);
  countdown.wait();
  pthread_join(thread, nullptr);
}
