// N threads, of which K may be inside.
#include <semaphore.h>

#include <cstdlib>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int threads = std::atoi(argv[1]), places = std::atoi(argv[2]);
  sem_t semaphore;
  sem_init(&semaphore, 0, static_cast<unsigned>(places));
  int inside = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      sem_wait(&semaphore);
      if (places == 1) ++inside;
      sem_post(&semaphore);
    });
  for (std::thread& thread : running) thread.join();
}
