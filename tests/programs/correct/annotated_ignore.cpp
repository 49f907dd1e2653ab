// Annotations that switch checks off cover accesses, allocation and release of memory, and the code that implements an
// annotated lock.
// heddle: clean
#include <atomic>
#include <cstdlib>
#include <thread>

extern "C" {
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
void __tsan_mutex_pre_signal(void*, unsigned);
void __tsan_mutex_post_signal(void*, unsigned);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
}

int main() {
  std::atomic<int*> block{new int(0)};
  std::atomic<bool> done{false};
  int word = 0;
  std::thread other([&] {
    *block.load(std::memory_order_relaxed) = 1;
    word = 1;
    done.store(true, std::memory_order_relaxed);
  });
  while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  delete block.load(std::memory_order_relaxed);
  int* next = new int;
  *next = 2;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  __tsan_mutex_pre_signal(&word, 0);
  word = 2;
  __tsan_mutex_post_signal(&word, 0);
  __tsan_mutex_pre_lock(&word, 0);
  word = 3;
  __tsan_mutex_post_lock(&word, 0, 0);
  __tsan_mutex_pre_unlock(&word, 0);
  word = 4;
  __tsan_mutex_post_unlock(&word, 0);
  other.join();
  delete next;
}
