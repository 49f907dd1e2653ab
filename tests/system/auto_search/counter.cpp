// N threads increment a counter. MEMORY, CLOCK, RANDOM and SIGNAL: they do something besides that the exhaustive search
// does not explore, but sampling does. WRONG: a bug that every execution shows.
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#ifndef N
#define N 2
#endif

static std::mutex mutex;
static int counter;
static pthread_t main_thread;

static void work() {
#if defined(MEMORY)
  for (int i = 0; i < 2; ++i) {
    void* volatile block = std::malloc(100);
    std::free(block);
  }
#elif defined(CLOCK)
  (void)std::chrono::steady_clock::now();
#elif defined(RANDOM)
  (void)std::rand();
#elif defined(SIGNAL)
  pthread_kill(main_thread, SIGUSR1);
#endif
  const std::lock_guard lock(mutex);
  ++counter;
}

int main() {
  main_thread = pthread_self();
#ifdef SIGNAL
  std::signal(SIGUSR1, [](int) {});
#endif
  std::thread threads[N];
  for (std::thread& thread : threads) thread = std::thread(work);
  for (std::thread& thread : threads) thread.join();
#ifdef WRONG
  std::abort();
#endif
  return counter == N ? 0 : 1;
}
