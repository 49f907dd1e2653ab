// N threads, R rounds of writing and reading what the others wrote, with a barrier before and after. PAIRS: each thread
// meets one of the others. SOMETIMES: a third thread uses a barrier for two, in executions that are not the first of a
// search.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef PAIRS
int main(int, char** argv) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::vector<std::thread> running;
  for (int i = 0; i < std::atoi(argv[1]); ++i) running.emplace_back([&] { pthread_barrier_wait(&barrier); });
  for (std::thread& thread : running) thread.join();
}
#elif defined SOMETIMES
int main() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::atomic<int> written{0};
  std::atomic<bool> is_over{false};
  const auto meet = [&] {
    pthread_barrier_wait(&barrier);
    is_over.store(true);
  };
  std::thread first(meet), second(meet);
  std::thread writer([&] { written.store(1); });
  std::thread third([&] {
    if (written.load() != 1) return;
    while (!is_over.load()) {
    }
    pthread_barrier_wait(&barrier);
  });
  std::thread fourth([&] {
    if (written.load() == 1) pthread_barrier_wait(&barrier);
  });
  for (std::thread* thread : {&first, &second, &writer, &third, &fourth}) thread->join();
}
#else
int main(int, char** argv) {
  const int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  std::vector<int> written(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  for (int& own : written)
    running.emplace_back([&] {
      for (int round = 1; round <= rounds; ++round) {
        own = round;
        pthread_barrier_wait(&barrier);
        for (const int other : written) assert(other == round);
        pthread_barrier_wait(&barrier);
      }
    });
  for (std::thread& thread : running) thread.join();
}
#endif
