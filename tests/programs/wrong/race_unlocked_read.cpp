// Writers take the mutex; the reader believes that it need not.
// heddle: finds race
// heddle-mentions: queue
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;

struct Queue {
  int size = 0;
};
static Queue queue;

int main() {
  std::thread writer([] {
    std::lock_guard guard(mutex);
    ++queue.size;
  });
  const int size = queue.size;
  writer.join();
  std::printf("%d\n", size);
}
