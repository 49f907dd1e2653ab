// A program that is given as an argument: words for each thread, separated by slashes. Some words are loops that wait,
// with operations in their rounds that write (src/engine/threads/waiting_rounds.hpp).
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<int> waits{0};
};
constexpr int most_threads = 4;
Node nodes[most_threads];
std::atomic<Node*> holder{nullptr};
std::atomic<int> flag{0};
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
int done = 0;     // behind `outer`
int entered = 0;  // while `holder` is the thread's own node

int look() {
  pthread_mutex_lock(&outer);
  const int seen = done;
  pthread_mutex_unlock(&outer);
  return seen;
}
int look_twice() {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  const int seen = done;
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  return seen;
}

int enter(Node& own) {
  Node* none;
  do {
    none = nullptr;
    own.next.store(nullptr, std::memory_order_relaxed);
    own.waits.store(1, std::memory_order_release);
  } while (!holder.compare_exchange_strong(none, &own, std::memory_order_acquire, std::memory_order_relaxed));
  const int before = entered++;
  holder.store(nullptr, std::memory_order_release);
  return before;
}

int perform(char word, int self, int threads) {
  Node& other = nodes[(self + 1) % threads];
  switch (word) {
    case 'a':
      pthread_mutex_lock(&outer);
      ++done;
      pthread_mutex_unlock(&outer);
      return 0;
    case 'w':
      while (look() < 1) {
      }
      return 0;
    case 'W':
      while (look() < 2) {
      }
      return 0;
    case 'v':
      while (look_twice() < 1) {
      }
      return 0;
    case 'f':
      while (look() < 1 && flag.load(std::memory_order_relaxed) == 0) {
      }
      return 0;
    case 'e': return enter(nodes[self]);
    case 'o': return other.waits.load(std::memory_order_relaxed);
    case 'O': return other.waits.load(std::memory_order_acquire);
    case 'p': other.waits.store(2, std::memory_order_relaxed); return 0;
    case 't':
      if (pthread_mutex_trylock(&outer) != 0) return 1;
      pthread_mutex_unlock(&outer);
      return 0;
    case 'm': return look();
    case 'l': return flag.load(std::memory_order_relaxed);
    default: flag.store(1, std::memory_order_relaxed); return 0;
  }
}

}  // namespace

int main(int, char** arguments) {
  std::vector<std::string> words(1);
  for (const char* at = arguments[1]; *at != 0; ++at)
    if (*at == '/')
      words.emplace_back();
    else
      words.back() += *at;
  std::vector<std::string> seen(words.size());
  std::vector<std::thread> threads;
  const int count = static_cast<int>(words.size());
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      for (const char word : words[static_cast<std::size_t>(i)])
        seen[static_cast<std::size_t>(i)] += static_cast<char>('0' + perform(word, i, count));
    });
  for (std::thread& thread : threads) thread.join();
  std::string line;
  for (const std::string& each : seen) line += each + "/";
  std::printf("seen: %s\n", line.c_str());
}
