// Locks whose lives begin and end in ways that are allowed: memory that becomes another lock, a lock that was taken
// before main, a lock that ends as soon as the other thread has left it.
//
// heddle: clean
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <semaphore.h>

#include <mutex>
#include <thread>

pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
const int locked_before_main = pthread_mutex_lock(&early);

void destroyed_on_the_stack() {
  pthread_mutex_t local;
  pthread_mutex_init(&local, nullptr);
  pthread_mutex_lock(&local);
  pthread_mutex_unlock(&local);
  pthread_mutex_destroy(&local);
}

void never_destroyed_on_the_stack() {
  pthread_mutex_t local;
  pthread_mutex_init(&local, nullptr);
  pthread_mutex_lock(&local);
  pthread_mutex_unlock(&local);
}

void statically_initialised_on_the_stack() {
  pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&local);
  pthread_mutex_unlock(&local);
}

struct Counted {
  std::mutex mutex;
  int users = 2;
};

void leave(Counted* counted) {
  counted->mutex.lock();
  const bool is_last = --counted->users == 0;
  counted->mutex.unlock();
  if (is_last) delete counted;
}

int main() {
  pthread_mutex_unlock(&early);
  pthread_mutex_lock(&early);
  pthread_mutex_unlock(&early);
  for (int i = 0; i < 2; ++i) {
    destroyed_on_the_stack();
    statically_initialised_on_the_stack();
    never_destroyed_on_the_stack();
  }
  auto* counted = new Counted;
  std::thread other([counted] { leave(counted); });
  leave(counted);
  other.join();

  sem_t done;
  sem_init(&done, 0, 0);
  std::thread posts([&done] { sem_post(&done); });
  sem_wait(&done);
  sem_destroy(&done);
  posts.join();

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread arrives([&barrier] { pthread_barrier_wait(&barrier); });
  pthread_barrier_wait(&barrier);
  pthread_barrier_destroy(&barrier);
  arrives.join();
}
