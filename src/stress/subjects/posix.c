/* subjects: mutex rwlock spinlock condition once thread_local semaphore barrier
 * POSIX threads: mutexes, read-write locks, spin locks, condition variables, once, thread-local storage, semaphores and
 * barriers. */
#include <heddle/stress.h>
#include <semaphore.h>

#include "subject_parts.h"

static _Alignas(64) uint32_t sum;
static uint64_t lost_sum(int threads) { return heddle_stress_lost_added(0, sum, 32, threads); }
static uint64_t value_sum(void) { return sum; }
static void reset_sum(int threads) { (void)threads, sum = 0; }
static void add(int thread) { sum += (uint32_t)square(thread); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void mutex_lock(int thread) {
  pthread_mutex_lock(&mutex);
  add(thread);
  pthread_mutex_unlock(&mutex);
}
static void mutex_trylock(int thread) {
  while (pthread_mutex_trylock(&mutex) != 0) heddle_stress_pause();
  add(thread);
  pthread_mutex_unlock(&mutex);
}

static pthread_mutex_t recursive, checked;
static void reset_kinds(int threads) {
  static int is_made;
  sum = 0;
  (void)threads;
  if (!is_made) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &kind);
    pthread_mutexattr_destroy(&kind);
    is_made = 1;
  }
}
static void recursive_lock(int thread) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  add(thread);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
}
static void checked_lock(int thread) {
  pthread_mutex_lock(&checked);
  if (pthread_mutex_lock(&checked) == EDEADLK) add(thread);
  pthread_mutex_unlock(&checked);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void write_lock(int thread) {
  pthread_rwlock_wrlock(&rwlock);
  add(thread);
  pthread_rwlock_unlock(&rwlock);
}

/* Writers keep two sums equal; a reader that sees them differ read in the middle of a write. */
static uint32_t other_sum;
static void reset_both(int threads) { (void)threads, sum = other_sum = 0; }
static void read_lock(int thread) {
  pthread_rwlock_rdlock(&rwlock);
  cells[thread].first = sum == other_sum;
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
  add(thread);
  other_sum += (uint32_t)square(thread);
  pthread_rwlock_unlock(&rwlock);
}
static uint64_t lost_flagged(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first != 1) wrong |= UINT64_C(1) << t;
  return wrong | lost_sum(threads);
}

static pthread_spinlock_t spinlock;
static void reset_spinlock(int threads) {
  static int is_made;
  if (!is_made) pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
  is_made = 1;
  reset_sum(threads);
}
static void spin_lock(int thread) {
  pthread_spin_lock(&spinlock);
  add(thread);
  pthread_spin_unlock(&spinlock);
}

/* The last thread wakes the others, and each checks that all have been there. */
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int arrived, expected_threads;
static void reset_condition(int threads) {
  sum = 0;
  arrived = 0;
  expected_threads = threads;
}
static void condition_broadcast(int thread) {
  pthread_mutex_lock(&mutex);
  add(thread);
  if (++arrived == expected_threads) pthread_cond_broadcast(&condition);
  while (arrived < expected_threads) pthread_cond_wait(&condition, &mutex);
  cells[thread].first = sum == heddle_stress_sum_of_squares(expected_threads);
  pthread_mutex_unlock(&mutex);
}
/* Each thread waits for its turn; a thread that leaves signals the next one. */
static void condition_signal(int thread) {
  pthread_mutex_lock(&mutex);
  while (arrived != thread - 1) {
    pthread_cond_signal(&condition);
    pthread_cond_wait(&condition, &mutex);
  }
  add(thread);
  ++arrived;
  cells[thread].first = sum == heddle_stress_sum_of_squares(thread);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static pthread_once_t once;
static int initialised;
static void initialise(void) { ++initialised; }
static void reset_once(int threads) {
  static const pthread_once_t fresh = PTHREAD_ONCE_INIT;
  (void)threads;
  once = fresh;
  initialised = 0;
}
static void call_once_posix(int thread) {
  pthread_once(&once, initialise);
  cells[thread].first = (uint64_t)initialised;
}
static uint64_t lost_once(int threads) {
  uint64_t wrong = initialised == 1 ? 0 : 1;
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first != 1) wrong |= UINT64_C(1) << t;
  return wrong;
}

/* Thread-local storage: a thread finds what it wrote, although the others write at the same time. */
static _Thread_local volatile uint64_t local;
static pthread_key_t key;
static void reset_local(int threads) {
  static int is_made;
  (void)threads;
  if (!is_made) pthread_key_create(&key, NULL);
  is_made = 1;
}
static void thread_local_variable(int thread) {
  local = square(thread);
  sched_yield();
  cells[thread].first = local == square(thread);
}
static void thread_key(int thread) {
  pthread_setspecific(key, &cells[thread]);
  sched_yield();
  cells[thread].first = pthread_getspecific(key) == &cells[thread];
}
static uint64_t lost_local(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first != 1) wrong |= UINT64_C(1) << t;
  return wrong;
}
static sem_t semaphore;
static void reset_semaphore(int threads) {
  reset_sum(threads);
  sem_init(&semaphore, 0, 1);
}
static void reset_counting(int threads) {
  reset_condition(threads);
  sem_init(&semaphore, 0, 0);
}
static void semaphore_lock(int thread) {
  while (sem_wait(&semaphore) != 0) {
  }
  add(thread);
  sem_post(&semaphore);
}
/* Thread 1 posts once for each of the others, and its message comes first. */
static uint32_t message;
static void semaphore_post(int thread) {
  int i;
  if (thread == 1) {
    message = 42;
    for (i = 1; i < expected_threads; ++i) sem_post(&semaphore);
    cells[1].first = 1;
  } else {
    while (sem_wait(&semaphore) != 0) {
    }
    cells[thread].first = message == 42;
  }
}
static void reset_posts(int threads) {
  reset_counting(threads);
  message = 0;
}

static pthread_barrier_t barrier;
static void reset_barrier(int threads) {
  static int made_for;
  if (made_for != threads) {
    if (made_for != 0) pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    made_for = threads;
  }
  memset(cells, 0, sizeof cells);
}
static void barrier_wait(int thread) {
  cells[thread].first = 1;
  cells[thread].second = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  cells[thread].third = cells[thread == 1 ? 2 : 1].first;
}
static uint64_t lost_barrier(int threads) {
  uint64_t wrong = 0;
  int t, serial = 0;
  for (t = 1; t <= threads; ++t) {
    serial += (int)cells[t].second;
    if (cells[t].third != 1) wrong |= UINT64_C(1) << t;
  }
  return serial == 1 ? wrong : wrong | 1;
}

static const struct heddle_stress_subject subjects[] = {
    {"mutex/lock", HEDDLE_STRESS_ATOMIC, reset_sum, mutex_lock, lost_sum, value_sum, 32},
    {"mutex/trylock", HEDDLE_STRESS_ATOMIC, reset_sum, mutex_trylock, lost_sum, value_sum, 32},
    {"mutex/recursive", HEDDLE_STRESS_ATOMIC, reset_kinds, recursive_lock, lost_sum, value_sum, 32},
    {"mutex/errorcheck", HEDDLE_STRESS_ATOMIC, reset_kinds, checked_lock, lost_sum, value_sum, 32},
    {"rwlock/write", HEDDLE_STRESS_ATOMIC, reset_sum, write_lock, lost_sum, value_sum, 32},
    {"rwlock/read", HEDDLE_STRESS_ATOMIC, reset_both, read_lock, lost_flagged, NULL, 0},
    {"spinlock", HEDDLE_STRESS_ATOMIC, reset_spinlock, spin_lock, lost_sum, value_sum, 32},
    {"condition/broadcast", HEDDLE_STRESS_ATOMIC, reset_condition, condition_broadcast, lost_flagged, NULL, 0},
    {"condition/signal", HEDDLE_STRESS_ATOMIC, reset_condition, condition_signal, lost_flagged, NULL, 0},
    {"once", HEDDLE_STRESS_ATOMIC, reset_once, call_once_posix, lost_once, NULL, 0},
    {"thread_local/variable", HEDDLE_STRESS_ATOMIC, reset_local, thread_local_variable, lost_local, NULL, 0},
    {"thread_local/key", HEDDLE_STRESS_ATOMIC, reset_local, thread_key, lost_local, NULL, 0},
    {"semaphore/lock", HEDDLE_STRESS_ATOMIC, reset_semaphore, semaphore_lock, lost_sum, value_sum, 32},
    {"semaphore/post", HEDDLE_STRESS_ATOMIC, reset_posts, semaphore_post, lost_local, NULL, 0},
    {"barrier", HEDDLE_STRESS_ATOMIC, reset_barrier, barrier_wait, lost_barrier, NULL, 0}};
HEDDLE_STRESS_MAIN(subjects)
