/* The harness behind heddle/stress.h: threads, barriers, order monitors, counting, results as one JSON object a line.
 * The method is that of "Verification of Multithreading Primitives in C" (van den Berge, 2024), chapter 4. */
#ifndef HEDDLE_STRESS_HARNESS_H
#define HEDDLE_STRESS_HARNESS_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of heddle_stress_main. A file that only links it to subjects in C++ defines this as nothing. */
#ifndef HEDDLE_STRESS_LINKAGE
#define HEDDLE_STRESS_LINKAGE static inline
#endif

enum { HEDDLE_STRESS_MONITORS = 8, HEDDLE_STRESS_LINE = 128, HEDDLE_STRESS_LONGEST_LEAD = 2000 };

struct heddle_stress_settings {
  int threads;
  uint64_t interleaved; /* runs with an interleaving until the end */
  double seconds;       /* the longest time of a subject */
  int same_order;
  int condition_variable; /* as in the paper, instead of the spinning barrier */
  int pinned;
  int spread;     /* the longest random delay after the barrier, in rounds of an empty loop */
  uint64_t naive; /* not 0: run the naive test, with so many operations a thread */
  uint64_t seed;
  int until_error; /* end with the first error */
};

struct heddle_stress_counter {
  _Alignas(HEDDLE_STRESS_LINE) atomic_uint value;
};

struct heddle_stress_run;

struct heddle_stress_thread {
  _Alignas(HEDDLE_STRESS_LINE) unsigned order[HEDDLE_STRESS_MONITORS]; /* a column of the matrix of orders */
  int id;
  uint64_t random;
  struct heddle_stress_run* run;
  pthread_t handle;
};

struct heddle_stress_run {
  struct heddle_stress_counter monitor[HEDDLE_STRESS_MONITORS];
  struct heddle_stress_counter arrived;
  struct heddle_stress_counter phase; /* the sense of the barrier: every run has a number of its own */
  struct heddle_stress_thread thread[HEDDLE_STRESS_MOST_THREADS];
  const struct heddle_stress_subject* subject;
  struct heddle_stress_settings settings;
  int cores;
  int is_over;
  int has_failed; /* an error, or a wrong value in the naive test */
  int releaser;   /* index of the thread that released the barrier last */
  int lead;       /* how long the releaser waits for the other threads; negative: how long they wait for it */
  int burst;      /* operations of a thread in this run */
  int is_adapted; /* whether runs have bursts */
  /* for the condition variable */
  pthread_mutex_t mutex;
  pthread_cond_t go, done;
  int finished;
  unsigned generation;
  /* results; the thread that completes a run writes them */
  uint64_t runs, interleaved, errors, interleaved_errors;
  uint64_t lost[HEDDLE_STRESS_MOST_THREADS + 1]; /* by thread; 0: errors that name no thread */
  unsigned first_error[HEDDLE_STRESS_MONITORS][HEDDLE_STRESS_MOST_THREADS];
  int first_error_interleaved;
  double begin, end;
};

static inline double heddle_stress_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int heddle_stress_cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Pins the calling thread to one of the cores that the process may use. */
static inline void heddle_stress_pin(int index) {
  cpu_set_t all, one;
  int cpu, count;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0 || (count = CPU_COUNT(&all)) == 0) return;
  index %= count;
  for (cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all) || index-- != 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

static inline void heddle_stress_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("pause");
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

static inline uint64_t heddle_stress_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* The order in which each thread uses the monitors, section 4.5 of the paper. Further threads repeat the rows. */
static inline const unsigned char* heddle_stress_order(const struct heddle_stress_run* run, int id) {
  static const unsigned char orders[4][HEDDLE_STRESS_MONITORS] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {3, 2, 1, 0, 7, 6, 5, 4}, {0, 2, 1, 3, 4, 6, 5, 7}, {1, 3, 0, 2, 5, 7, 4, 6}};
  return orders[run->settings.same_order ? 0 : (id - 1) % 4];
}

/* One run of one thread. The monitors count on from run to run, so that nothing has to be set back. With more threads
 * than cores, a thread yields its core at one monitor in eight: otherwise only the kernel's clock would let threads
 * interleave that share a core.
 *
 * In a burst the thread performs the operation several times, each time as another participant of the run. */
static inline void heddle_stress_iterate(struct heddle_stress_thread* self, const unsigned char* order, unsigned base) {
  struct heddle_stress_run* run = self->run;
  const int shares_cores = run->settings.threads > run->cores;
  int i;
  for (i = 0; i < HEDDLE_STRESS_MONITORS; ++i) {
    if (i == HEDDLE_STRESS_MONITORS / 2) {
      int participant = self->id, n;
      for (n = 0; n < run->burst; ++n, participant += run->settings.threads) run->subject->run(participant);
    }
    self->order[order[i]] = atomic_fetch_add(&run->monitor[order[i]].value, 1) - base;
    if (shares_cores && heddle_stress_random(&self->random) % 8 == 0) sched_yield();
  }
}

/* The longest burst: every operation is a participant with a number of its own. Only subjects of the naive test can be
 * repeated by a thread. */
static inline int heddle_stress_longest_burst(const struct heddle_stress_run* run) {
  return run->subject->value == NULL ? 1 : HEDDLE_STRESS_MOST_THREADS / run->settings.threads;
}

/* Most errors need two operations that overlap, and single operations show them. If a quarter of the test has shown
 * none, threads perform bursts of up to `longest` operations, half of them the longest: some errors need a thread that
 * loses to others several times in a row, and single operations of few threads do not cause that. */
static inline void heddle_stress_adapt(struct heddle_stress_run* run, double passed) {
  const int longest = heddle_stress_longest_burst(run);
  if (longest > 1 && run->errors == 0 &&
      (run->interleaved >= run->settings.interleaved / 4 || passed >= run->settings.seconds / 4))
    run->is_adapted = 1;
  run->burst = !run->is_adapted ? 1 : run->runs % 2 != 0 ? longest : 1 + (int)(run->runs / 2 % (uint64_t)longest);
}

static inline int heddle_stress_has_interleaved(const struct heddle_stress_run* run) {
  int t, m;
  for (t = 0; t < run->settings.threads; ++t)
    for (m = 1; m < HEDDLE_STRESS_MONITORS; ++m)
      if (run->thread[t].order[m] != run->thread[t].order[0]) return 1;
  return 0;
}

/* The thread that releases the barrier starts first, because the others learn of it only when the cache line arrives.
 * How much later that is depends on the machine, and on its load. So the lead is adjusted until the releaser is neither
 * always first nor always last. */
static inline void heddle_stress_adjust_lead(struct heddle_stress_run* run) {
  const unsigned place = run->thread[run->releaser].order[0];
  if (place == 0 && run->lead < HEDDLE_STRESS_LONGEST_LEAD) ++run->lead;
  if (place + 1 == (unsigned)run->settings.threads && run->lead > -HEDDLE_STRESS_LONGEST_LEAD) --run->lead;
}

/* Counts the run that all threads have just finished, and prepares the next one. */
static inline void heddle_stress_complete(struct heddle_stress_run* run) {
  const int threads = run->settings.threads;
  const int interleaved = heddle_stress_has_interleaved(run);
  const uint64_t lost = run->subject->lost(threads * run->burst);
  double passed = 0;
  ++run->runs;
  run->interleaved += (uint64_t)interleaved;
  if (!interleaved) heddle_stress_adjust_lead(run);
  if (lost != 0) {
    int t, m;
    uint64_t lost_threads = lost & 1; /* of participants */
    for (t = 1; t <= threads * run->burst; ++t) lost_threads |= (lost >> t & 1) << ((t - 1) % threads + 1);
    for (t = 0; t <= threads; ++t) run->lost[t] += lost_threads >> t & 1;
    if (run->errors++ == 0 || (interleaved && !run->first_error_interleaved)) {
      run->first_error_interleaved = interleaved;
      for (m = 0; m < HEDDLE_STRESS_MONITORS; ++m)
        for (t = 0; t < threads; ++t) run->first_error[m][t] = run->thread[t].order[m];
    }
    run->interleaved_errors += (uint64_t)interleaved;
  }
  if (run->interleaved >= run->settings.interleaved || (run->settings.until_error && run->errors != 0))
    run->is_over = 1;
  if (run->runs % 64 == 0) passed = heddle_stress_seconds() - run->begin;
  if (passed >= run->settings.seconds) run->is_over = 1;
  heddle_stress_adapt(run, passed);
  if (!run->is_over) run->subject->reset(threads * run->burst);
}

/* An empty loop: the lead, and a random length, so that the threads meet at different points. With bursts, the longest
 * random length is swept as well. */
static inline void heddle_stress_delay(struct heddle_stress_thread* self) {
  const struct heddle_stress_run* run = self->run;
  const int factor = run->is_adapted ? 1 << 2 * (run->runs / 64 % 3) : 1;
  const int lead = &run->thread[run->releaser] == self ? run->lead : -run->lead;
  volatile int rounds = lead > 0 ? lead : 0;
  if (run->settings.spread > 0)
    rounds = rounds + (int)(heddle_stress_random(&self->random) % (uint64_t)(run->settings.spread * factor));
  while (rounds > 0) rounds = rounds - 1;
}

/* A sense-reversing barrier: the last thread completes the run and starts the next one. With more threads than cores a
 * waiting thread soon yields its core; otherwise only if the machine is busy with other work. */
static inline void heddle_stress_barrier(struct heddle_stress_thread* self, unsigned* phase, int is_first) {
  struct heddle_stress_run* run = self->run;
  const unsigned threads = (unsigned)run->settings.threads;
  const unsigned patience = run->settings.threads > run->cores ? 64 : 4000;
  unsigned spins = 0;
  ++*phase;
  if (atomic_fetch_add(&run->arrived.value, 1) + 1 == threads) {
    if (!is_first) heddle_stress_complete(run);
    run->releaser = self->id - 1;
    atomic_store_explicit(&run->arrived.value, 0, memory_order_relaxed);
    atomic_store_explicit(&run->phase.value, *phase, memory_order_release);
    return;
  }
  while (atomic_load_explicit(&run->phase.value, memory_order_acquire) != *phase) {
    if (++spins < patience)
      heddle_stress_pause();
    else
      sched_yield();
  }
}

static inline void* heddle_stress_spin_worker(void* argument) {
  struct heddle_stress_thread* self = argument;
  struct heddle_stress_run* run = self->run;
  const unsigned char* order = heddle_stress_order(run, self->id);
  unsigned phase = 0;
  if (run->settings.pinned) heddle_stress_pin(self->id - 1);
  heddle_stress_barrier(self, &phase, 1);
  while (!run->is_over) {
    heddle_stress_delay(self);
    heddle_stress_iterate(self, order, (phase - 1) * (unsigned)run->settings.threads);
    heddle_stress_barrier(self, &phase, 0);
  }
  return NULL;
}

/* Section 4.3 of the paper: the main thread wakes the others by pthread_cond_broadcast in every run. */
static inline void* heddle_stress_waiting_worker(void* argument) {
  struct heddle_stress_thread* self = argument;
  struct heddle_stress_run* run = self->run;
  const unsigned char* order = heddle_stress_order(run, self->id);
  unsigned generation = 0;
  if (run->settings.pinned) heddle_stress_pin(self->id - 1);
  for (;;) {
    pthread_mutex_lock(&run->mutex);
    if (++run->finished == run->settings.threads) pthread_cond_signal(&run->done);
    while (run->generation == generation) pthread_cond_wait(&run->go, &run->mutex);
    generation = run->generation;
    pthread_mutex_unlock(&run->mutex);
    if (run->is_over) return NULL;
    heddle_stress_iterate(self, order, (generation - 1) * (unsigned)run->settings.threads);
  }
}

static inline void heddle_stress_broadcast(struct heddle_stress_run* run) {
  int is_first = 1;
  while (!run->is_over) {
    pthread_mutex_lock(&run->mutex);
    while (run->finished != run->settings.threads) pthread_cond_wait(&run->done, &run->mutex);
    if (!is_first) heddle_stress_complete(run);
    is_first = 0;
    run->finished = 0;
    ++run->generation;
    pthread_cond_broadcast(&run->go);
    pthread_mutex_unlock(&run->mutex);
  }
}

/* The paper's naive test: every thread repeats the operation, and only the final value is looked at. */
static inline void* heddle_stress_naive_worker(void* argument) {
  struct heddle_stress_thread* self = argument;
  struct heddle_stress_run* run = self->run;
  uint64_t i;
  if (run->settings.pinned) heddle_stress_pin(self->id - 1);
  atomic_fetch_add(&run->arrived.value, 1);
  while (atomic_load(&run->arrived.value) < (unsigned)run->settings.threads) sched_yield();
  for (i = 0; i < run->settings.naive; ++i) run->subject->run(1);
  return NULL;
}

#include "heddle/stress_program.h"

#endif
