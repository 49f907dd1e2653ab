// A key that a static object makes before main and deletes at exit, as GoogleTest's ThreadLocal does. Every execution
// finds the key, with the value that it had before main and without the values of earlier executions.
// heddle: clean
// heddle-options: --isolation reset
#include <pthread.h>

#include <cassert>
#include <thread>

static int from_before_main;

struct Key {
  Key() {
    assert(pthread_key_create(&key, nullptr) == 0);
    assert(pthread_key_create(&unused, nullptr) == 0);
    pthread_setspecific(key, &from_before_main);
  }
  ~Key() {
    assert(pthread_key_delete(key) == 0);
    assert(pthread_key_delete(key) != 0);
  }
  pthread_key_t key;
  pthread_key_t unused;
};
static Key early;

int main() {
  assert(pthread_getspecific(early.key) == &from_before_main);
  assert(pthread_getspecific(early.unused) == nullptr);
  int of_main = 1;
  pthread_setspecific(early.key, &of_main);
  pthread_setspecific(early.unused, &of_main);
  std::thread other([] {
    int of_thread = 2;
    assert(pthread_getspecific(early.key) == nullptr);
    pthread_setspecific(early.key, &of_thread);
    assert(pthread_getspecific(early.key) == &of_thread);
  });
  other.join();
  assert(pthread_getspecific(early.key) == &of_main);
}
