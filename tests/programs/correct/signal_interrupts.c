// Handlers interrupt blocking calls: sem_wait and nanosleep return EINTR, sem_wait not with SA_RESTART.
// A condition wait continues after the handler. sigsuspend returns after a handler has run.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static sem_t empty, restarts;
static atomic_int interruptions, handled, is_ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void on_signal(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void set_handler(int number, int flags) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
  sigaction(number, &action, NULL);
}

static void* waits(void* old_mask) {
  while (sem_wait(&empty) == 0 || errno != EINTR) assert(!"no thread posts");
  assert(atomic_load(&handled) >= 1);
  atomic_store(&interruptions, 1);

  const struct timespec hour = {.tv_sec = 3600};
  struct timespec left = {0, 0};
  if (nanosleep(&hour, &left) == -1) {
    assert(errno == EINTR && atomic_load(&handled) >= 2);
    assert(left.tv_sec <= 3600);
  }
  sigset_t user;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &user, NULL);
  assert(sem_wait(&restarts) == 0);

  pthread_mutex_lock(&mutex);
  while (!is_ready) assert(pthread_cond_wait(&condition, &mutex) == 0);
  pthread_mutex_unlock(&mutex);

  // SIGHUP is blocked except inside sigsuspend, so it cannot be lost.
  atomic_store(&interruptions, 2);
  const int before = atomic_load(&handled);
  assert(sigsuspend(old_mask) == -1 && errno == EINTR);
  assert(atomic_load(&handled) > before);
  return NULL;
}

int main(void) {
  sem_init(&empty, 0, 0);
  sem_init(&restarts, 0, 0);
  set_handler(SIGUSR1, 0);
  set_handler(SIGUSR2, SA_RESTART);
  set_handler(SIGHUP, 0);
  sigset_t hang_up, before;
  sigemptyset(&hang_up);
  sigaddset(&hang_up, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &hang_up, &before);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, &before);

  // A handler that runs before sem_wait begins does not interrupt it: send until one does.
  while (atomic_load(&interruptions) == 0) {
    pthread_kill(thread, SIGUSR1);
    sched_yield();
  }
  pthread_kill(thread, SIGUSR2);
  sem_post(&restarts);
  pthread_mutex_lock(&mutex);
  is_ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  while (atomic_load(&interruptions) != 2) sched_yield();
  pthread_kill(thread, SIGHUP);
  pthread_join(thread, NULL);

  set_handler(SIGALRM, 0);
  const int handled_before = atomic_load(&handled);
  alarm(1);
  while (atomic_load(&handled) == handled_before) {
  }
  return 0;
}
