// More threads than the barrier is for, so the search begins again, with an order of arrivals. Executions take some
// milliseconds, so the second search takes some tenths of a second.
#include <pthread.h>

#include <thread>
#include <vector>

int main() {
  pthread_barrier_t pairs;
  pthread_barrier_init(&pairs, nullptr, 2);
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i) running.emplace_back([&] { pthread_barrier_wait(&pairs); });
  for (std::thread& thread : running) thread.join();
  for (int i = 0; i < 20'000'000; ++i) asm volatile("");
}
