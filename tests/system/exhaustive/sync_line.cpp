// Executes small programs over synchronisation objects, given on the command line: threads are separated by '/', each
// operation is a letter. What the threads see on their way is printed at the end. The second argument is the
// semaphore's first value.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex first, second;
std::condition_variable condition;
int items = 0;  // behind `first`
sem_t semaphore;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int written = 0;  // behind `rwlock`
pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
int written_first = 0;  // behind `writers_first`
std::once_flag once;
pthread_barrier_t barrier;  // for the threads that come to it
std::atomic<int> initialised, value;

char wait_for_an_item(bool timed) {
  std::unique_lock lock(first);
  std::cv_status status = std::cv_status::no_timeout;
  if (items == 0 && timed) status = condition.wait_for(lock, std::chrono::seconds(1));
  if (items == 0 && !timed) condition.wait(lock);
  return status == std::cv_status::timeout ? 't' : static_cast<char>('0' + items);
}

void add_an_item() {
  const std::lock_guard guard(first);
  ++items;
}

char as_digit(int number) { return static_cast<char>('0' + number); }

/// What there was to see, or nothing.
char perform(char operation, int thread) {
  switch (operation) {
    case 'm': first.lock(); return 0;
    case 'u': first.unlock(); return 0;
    case 'M': second.lock(); return 0;
    case 'U': second.unlock(); return 0;
    case 't':
      if (!second.try_lock()) return '-';
      second.unlock();
      return '+';
    case 'w': return wait_for_an_item(false);
    case 'v': return wait_for_an_item(true);
    case 'n':
      add_an_item();
      condition.notify_one();
      return 0;
    case 'b':
      add_an_item();
      condition.notify_all();
      return 0;
    case 's': sem_wait(&semaphore); return 0;
    case 'p': sem_post(&semaphore); return 0;
    case 'y': return sem_trywait(&semaphore) == 0 ? '+' : '-';
    case 'r': {
      pthread_rwlock_rdlock(&rwlock);
      const int seen = written;
      pthread_rwlock_unlock(&rwlock);
      return as_digit(seen);
    }
    case 'x':
      pthread_rwlock_wrlock(&rwlock);
      ++written;
      pthread_rwlock_unlock(&rwlock);
      return 0;
    case 'i': pthread_rwlock_rdlock(&rwlock); return 0;
    case 'k': pthread_rwlock_wrlock(&rwlock); return 0;
    case 'j': pthread_rwlock_unlock(&rwlock); return 0;
    case 'R':
      if (pthread_rwlock_tryrdlock(&rwlock) != 0) return '-';
      pthread_rwlock_unlock(&rwlock);
      return '+';
    case 'X':
      if (pthread_rwlock_trywrlock(&rwlock) != 0) return '-';
      pthread_rwlock_unlock(&rwlock);
      return '+';
    case 'q': {
      pthread_rwlock_rdlock(&writers_first);
      const int seen = written_first;
      pthread_rwlock_unlock(&writers_first);
      return as_digit(seen);
    }
    case 'a': pthread_rwlock_rdlock(&writers_first); return 0;
    case 'c': pthread_rwlock_wrlock(&writers_first); return 0;
    case 'd': pthread_rwlock_unlock(&writers_first); return 0;
    case 'Q':
      pthread_rwlock_wrlock(&writers_first);
      ++written_first;
      pthread_rwlock_unlock(&writers_first);
      return 0;
    case 'A':
      if (pthread_rwlock_tryrdlock(&writers_first) != 0) return '-';
      pthread_rwlock_unlock(&writers_first);
      return '+';
    case 'C': {
      const timespec soon{1, 0};
      if (pthread_rwlock_timedwrlock(&writers_first, &soon) != 0) return '-';
      ++written_first;
      pthread_rwlock_unlock(&writers_first);
      return '+';
    }
    case 'o':
      std::call_once(once, [&] { initialised.store(thread, std::memory_order_relaxed); });
      return as_digit(initialised.load(std::memory_order_relaxed));
    case 'l': return as_digit(value.load(std::memory_order_relaxed));
    case 'z': value.store(thread, std::memory_order_relaxed); return 0;
    case 'g': value.wait(0); return as_digit(value.load(std::memory_order_relaxed));
    case 'h':
      value.store(7);
      value.notify_all();
      return 0;
    case 'B': pthread_barrier_wait(&barrier); return 0;
    case 'S': return pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD ? '+' : '-';
    default: std::abort();
  }
}

}  // namespace

int main(int, char** argv) {
  sem_init(&semaphore, 0, static_cast<unsigned>(std::atoi(argv[2])));
  std::vector<std::string> bodies(1), seen;
  for (const char* c = argv[1]; *c != '\0'; ++c) {
    if (*c == '/')
      bodies.emplace_back();
    else
      bodies.back() += *c;
  }
  seen.resize(bodies.size());
  unsigned at_barrier = 0;
  for (const std::string& body : bodies) at_barrier += body.find_first_of("BS") != std::string::npos ? 1U : 0U;
  if (at_barrier != 0) pthread_barrier_init(&barrier, nullptr, at_barrier);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < bodies.size(); ++t)
    running.emplace_back([&, t] {
      for (const char operation : bodies[t])
        if (const char sight = perform(operation, static_cast<int>(t) + 1)) seen[t] += sight;
    });
  for (std::thread& thread : running) thread.join();
  std::string line = "seen:";
  for (const std::string& sights : seen) line += " " + sights;
  std::puts(line.c_str());
}
