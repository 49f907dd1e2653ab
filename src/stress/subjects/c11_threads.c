/* subjects: c11_
 * The threads of C11, <threads.h>: mutexes, condition variables, call_once, thread-local storage. */
#include <heddle/stress.h>
#include <threads.h>

#include "subject_parts.h"

static _Alignas(64) uint32_t sum;
static int arrived, expected_threads;
static mtx_t mutex;
static cnd_t condition;
static tss_t key;
static once_flag made = ONCE_FLAG_INIT;

static void make(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  tss_create(&key, NULL);
}
static void reset(int threads) {
  call_once(&made, make);
  sum = 0;
  arrived = 0;
  expected_threads = threads;
}
static uint64_t lost_sum(int threads) { return heddle_stress_lost_added(0, sum, 32, threads); }
static uint64_t value_sum(void) { return sum; }
static uint64_t lost_flagged(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first != 1) wrong |= UINT64_C(1) << t;
  return wrong;
}

static void lock(int thread) {
  mtx_lock(&mutex);
  sum += (uint32_t)square(thread);
  mtx_unlock(&mutex);
}
static void trylock(int thread) {
  while (mtx_trylock(&mutex) != thrd_success) heddle_stress_pause();
  sum += (uint32_t)square(thread);
  mtx_unlock(&mutex);
}
static void broadcast(int thread) {
  mtx_lock(&mutex);
  sum += (uint32_t)square(thread);
  if (++arrived == expected_threads) cnd_broadcast(&condition);
  while (arrived < expected_threads) cnd_wait(&condition, &mutex);
  cells[thread].first = sum == heddle_stress_sum_of_squares(expected_threads);
  mtx_unlock(&mutex);
}

static once_flag once;
static int initialised;
static void initialise(void) { ++initialised; }
static void reset_once(int threads) {
  static const once_flag fresh = ONCE_FLAG_INIT;
  (void)threads;
  once = fresh;
  initialised = 0;
}
static void once_c11(int thread) {
  call_once(&once, initialise);
  cells[thread].first = (uint64_t)initialised;
}

static void storage(int thread) {
  tss_set(key, &cells[thread]);
  thrd_yield();
  cells[thread].first = tss_get(key) == &cells[thread];
}

static const struct heddle_stress_subject subjects[] = {
    {"c11_mutex/lock", HEDDLE_STRESS_ATOMIC, reset, lock, lost_sum, value_sum, 32},
    {"c11_mutex/trylock", HEDDLE_STRESS_ATOMIC, reset, trylock, lost_sum, value_sum, 32},
    {"c11_condition/broadcast", HEDDLE_STRESS_ATOMIC, reset, broadcast, lost_flagged, NULL, 0},
    {"c11_once", HEDDLE_STRESS_ATOMIC, reset_once, once_c11, lost_flagged, NULL, 0},
    {"c11_thread_local/key", HEDDLE_STRESS_ATOMIC, reset, storage, lost_flagged, NULL, 0}};
HEDDLE_STRESS_MAIN(subjects)
