// A thread that is cancelled ends in the next cancellation point, or in the one that it waits in. Its cleanup handlers
// run, a condition wait has its mutex again by then, and its keys are destroyed.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static pthread_key_t key;
static int cleaned, destroyed, guarded;

static void unlock(void* unused) {
  (void)unused;
  ++guarded;  // under the mutex
  assert(pthread_mutex_unlock(&mutex) == 0);
}
static void count(void* counter) { ++*(int*)counter; }

static void* waits_for_condition(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return NULL;
}

static void* waits_for_semaphore(void* unused) {
  (void)unused;
  pthread_setspecific(key, &destroyed);
  pthread_cleanup_push(count, &cleaned);
  sem_wait(&empty);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* sleeps(void* unused) {
  (void)unused;
  pthread_cleanup_push(count, &cleaned);
  for (;;) sleep(1);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* waits_for_signal(void* unused) {
  (void)unused;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int number;
  pthread_cleanup_push(count, &cleaned);
  sigwait(&set, &number);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* pauses(void* unused) {
  (void)unused;
  for (;;) pause();
  return NULL;
}

static void* joins(void* other) {
  pthread_join(*(pthread_t*)other, NULL);
  return NULL;
}

static void* tests(void* unused) {
  (void)unused;
  int old;
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
  pthread_testcancel();
  sleep(1);
  pthread_cleanup_push(count, &cleaned);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  assert(old == PTHREAD_CANCEL_DISABLE);
  for (;;) pthread_testcancel();
  pthread_cleanup_pop(0);
  return NULL;
}

static void cancel(pthread_t thread) {
  void* result;
  assert(pthread_cancel(thread) == 0);
  assert(pthread_join(thread, &result) == 0);
  assert(result == PTHREAD_CANCELED);
}

static pthread_t start(void* (*routine)(void*), void* argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, routine, argument);
  return thread;
}

int main(void) {
  sem_init(&empty, 0, 0);
  pthread_key_create(&key, count);
  pthread_t thread = start(waits_for_condition, NULL);
  cancel(thread);
  pthread_mutex_lock(&mutex);
  assert(guarded <= 1);
  pthread_mutex_unlock(&mutex);
  cancel(start(waits_for_semaphore, NULL));
  assert(destroyed <= 1 && cleaned <= 1);
  cleaned = 0;
  cancel(start(sleeps, NULL));
  cancel(start(waits_for_signal, NULL));
  cancel(start(tests, NULL));
  assert(cleaned <= 3);
  cancel(start(pauses, NULL));
  thread = start(pauses, NULL);
  cancel(start(joins, &thread));
  cancel(thread);
  return 0;
}
