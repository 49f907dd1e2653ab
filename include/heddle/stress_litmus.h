/* Runs litmus tests on the real machine. heddle generates the tests; this is the harness around them.
 *
 * A round has an array of instances of each location. Every thread passes through the instances, and before each of
 * them, or before some, waits for the others. Strides differ between locations, so that neighbours in one array are not
 * neighbours in another. Afterwards the final states are counted. */
#ifndef HEDDLE_STRESS_LITMUS_H
#define HEDDLE_STRESS_LITMUS_H

#include "heddle/stress.h"

enum {
  HEDDLE_LITMUS_INSTANCES = 4096, /* a power of two: odd strides then reach every instance */
  HEDDLE_LITMUS_STATES = 4096,
  HEDDLE_LITMUS_MOST = 64 /* threads, locations, values of a state */
};

struct heddle_litmus_location {
  unsigned size; /* in bytes */
  int64_t initial;
};

struct heddle_litmus_thread {
  void (*run)(int64_t* out, char* const* locations);
  int registers; /* how many values it leaves in out */
};

struct heddle_litmus_test {
  const char* name;
  int threads, locations, observed; /* observed: locations whose final value belongs to the state */
  const struct heddle_litmus_thread* thread;
  const struct heddle_litmus_location* location;
  const int* observe; /* the observed locations */
};

struct heddle_litmus_run;

struct heddle_litmus_worker {
  struct heddle_litmus_run* run;
  pthread_t handle;
  int index;
  uint64_t random;
};

struct heddle_litmus_run {
  const struct heddle_litmus_test* test;
  struct heddle_stress_settings settings;
  int cores, is_over, width; /* width: values of a state */
  struct heddle_stress_counter arrived, phase;
  atomic_uint* meet; /* for each instance, how many threads are there */
  char* memory[HEDDLE_LITMUS_MOST];
  int64_t* out[HEDDLE_LITMUS_MOST];
  unsigned stride[HEDDLE_LITMUS_MOST], shift[HEDDLE_LITMUS_MOST];
  unsigned step, spread; /* of this round: threads meet at every step-th instance; longest random delay */
  uint64_t random, instances, count[HEDDLE_LITMUS_STATES];
  int64_t* state;
  int states, has_lost_states;
  struct heddle_litmus_worker worker[HEDDLE_LITMUS_MOST];
  double begin, end;
};

static inline char* heddle_litmus_place(const struct heddle_litmus_run* run, int location, unsigned instance) {
  const unsigned index = (instance * run->stride[location] + run->shift[location]) % HEDDLE_LITMUS_INSTANCES;
  return run->memory[location] + (size_t)index * run->test->location[location].size;
}

static inline void heddle_litmus_write(char* place, unsigned size, int64_t value) {
  const int8_t one = (int8_t)value;
  const int16_t two = (int16_t)value;
  const int32_t four = (int32_t)value;
  memcpy(place,
         size == 1   ? (const void*)&one
         : size == 2 ? (const void*)&two
         : size == 4 ? (const void*)&four
                     : &value,
         size);
}

static inline int64_t heddle_litmus_read(const char* place, unsigned size) {
  int8_t one;
  int16_t two;
  int32_t four;
  int64_t eight;
  switch (size) {
    case 1: return memcpy(&one, place, 1), one;
    case 2: return memcpy(&two, place, 2), two;
    case 4: return memcpy(&four, place, 4), four;
    default: return memcpy(&eight, place, 8), eight;
  }
}

static inline void heddle_litmus_prepare(struct heddle_litmus_run* run) {
  static const unsigned steps[] = {1, 1, 2, 1, 8, 1, 64, 1}, spreads[] = {1, 4, 16, 64, 16, 256};
  unsigned i;
  int l;
  for (l = 0; l < run->test->locations; ++l) {
    run->stride[l] = (unsigned)heddle_stress_random(&run->random) | 1;
    run->shift[l] = (unsigned)heddle_stress_random(&run->random);
    for (i = 0; i < HEDDLE_LITMUS_INSTANCES; ++i)
      heddle_litmus_write(heddle_litmus_place(run, l, i), run->test->location[l].size, run->test->location[l].initial);
  }
  run->step = steps[heddle_stress_random(&run->random) >> 16 & 7];
  /* With more threads than cores, every meeting costs switches between threads. */
  if (run->test->threads > run->cores) run->step *= 16;
  run->spread = spreads[(heddle_stress_random(&run->random) >> 16) % 6];
  for (i = 0; i < HEDDLE_LITMUS_INSTANCES; ++i) atomic_store_explicit(&run->meet[i], 0, memory_order_relaxed);
}

static inline void heddle_litmus_count(struct heddle_litmus_run* run, const int64_t* values) {
  const size_t size = (size_t)run->width * sizeof *values;
  int s;
  for (s = 0; s < run->states; ++s)
    if (memcmp(run->state + (size_t)s * (size_t)run->width, values, size) == 0) break;
  if (s == HEDDLE_LITMUS_STATES) {
    run->has_lost_states = 1;
    return;
  }
  if (s == run->states) {
    memcpy(run->state + (size_t)s * (size_t)run->width, values, size);
    ++run->states;
  }
  ++run->count[s];
}

/* Counts the states of a round, in the order: registers of each thread, observed locations. */
static inline void heddle_litmus_collect(struct heddle_litmus_run* run) {
  int64_t values[2 * HEDDLE_LITMUS_MOST];
  unsigned i;
  int t, r, l;
  for (i = 0; i < HEDDLE_LITMUS_INSTANCES; ++i) {
    int n = 0;
    for (t = 0; t < run->test->threads; ++t)
      for (r = 0; r < run->test->thread[t].registers; ++r)
        values[n++] = run->out[t][(size_t)i * (size_t)run->test->thread[t].registers + (size_t)r];
    for (l = 0; l < run->test->observed; ++l)
      values[n++] = heddle_litmus_read(heddle_litmus_place(run, run->test->observe[l], i),
                                       run->test->location[run->test->observe[l]].size);
    heddle_litmus_count(run, values);
  }
  run->instances += HEDDLE_LITMUS_INSTANCES;
  if (run->instances >= run->settings.interleaved) run->is_over = 1;
  if (heddle_stress_seconds() - run->begin >= run->settings.seconds) run->is_over = 1;
}

/* Between rounds: the last thread that arrives counts the states and prepares the next round. */
static inline void heddle_litmus_barrier(struct heddle_litmus_run* run, unsigned* phase, int is_first) {
  const unsigned patience = run->test->threads > run->cores ? 64 : 4000;
  unsigned spins = 0;
  ++*phase;
  if (atomic_fetch_add(&run->arrived.value, 1) + 1 == (unsigned)run->test->threads) {
    if (!is_first) heddle_litmus_collect(run);
    if (!run->is_over) heddle_litmus_prepare(run);
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

/* Waits for the other threads at an instance, but not for long: one of them may have no core. */
static inline void heddle_litmus_meet(struct heddle_litmus_worker* self, unsigned instance) {
  struct heddle_litmus_run* run = self->run;
  const unsigned threads = (unsigned)run->test->threads;
  const int is_crowded = run->test->threads > run->cores;
  const unsigned patience = is_crowded ? 400 : 2000;
  unsigned spins = 0;
  volatile unsigned delay;
  if (instance % run->step == 0) {
    atomic_fetch_add_explicit(&run->meet[instance], 1, memory_order_relaxed);
    while (atomic_load_explicit(&run->meet[instance], memory_order_relaxed) < threads && ++spins < patience) {
      if (is_crowded && spins % 40 == 0)
        sched_yield();
      else
        heddle_stress_pause();
    }
    if (spins == patience) sched_yield();
  }
  delay = (unsigned)(heddle_stress_random(&self->random) >> 16) % run->spread;
  while (delay > 0) delay = delay - 1;
}

static inline void* heddle_litmus_work(void* argument) {
  struct heddle_litmus_worker* self = argument;
  struct heddle_litmus_run* run = self->run;
  const struct heddle_litmus_thread* thread = &run->test->thread[self->index];
  char* places[HEDDLE_LITMUS_MOST];
  unsigned phase = 0, i;
  int l;
  if (run->settings.pinned) heddle_stress_pin(self->index);
  heddle_litmus_barrier(run, &phase, 1);
  while (!run->is_over) {
    for (i = 0; i < HEDDLE_LITMUS_INSTANCES; ++i) {
      int64_t* out = run->out[self->index] + (size_t)i * (size_t)thread->registers;
      for (l = 0; l < run->test->locations; ++l) places[l] = heddle_litmus_place(run, l, i);
      heddle_litmus_meet(self, i);
      thread->run(out, places);
    }
    heddle_litmus_barrier(run, &phase, 0);
  }
  return NULL;
}

static inline void heddle_litmus_print(const struct heddle_litmus_run* run) {
  int s, v;
  printf("{\"test\":");
  heddle_stress_print_text(run->test->name);
  heddle_stress_print_number("cores", (uint64_t)run->cores);
  heddle_stress_print_number("instances", run->instances);
  printf(",\"complete\":%s,\"states\":[", run->has_lost_states ? "false" : "true");
  for (s = 0; s < run->states; ++s) {
    printf("%s{\"values\":[", s == 0 ? "" : ",");
    for (v = 0; v < run->width; ++v)
      printf("%s%lld", v == 0 ? "" : ",", (long long)run->state[(size_t)s * (size_t)run->width + (size_t)v]);
    printf("],\"count\":%llu}", (unsigned long long)run->count[s]);
  }
  printf("],\"seconds\":%.6f}\n", run->end - run->begin);
  fflush(stdout);
}

static inline void* heddle_litmus_allocate(size_t count, size_t size) {
  void* memory = aligned_alloc(HEDDLE_STRESS_LINE, (count * size / HEDDLE_STRESS_LINE + 1) * HEDDLE_STRESS_LINE);
  if (memory == NULL) {
    fprintf(stderr, "there is not enough memory\n");
    exit(3);
  }
  return memset(memory, 0, count * size);
}

static inline void heddle_litmus_run_test(const struct heddle_litmus_test* test,
                                          const struct heddle_stress_settings* settings) {
  struct heddle_litmus_run* run = heddle_litmus_allocate(1, sizeof *run);
  int t, l, error;
  run->test = test;
  run->settings = *settings;
  run->cores = heddle_stress_cores();
  run->random = (settings->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
  run->width = test->observed;
  for (t = 0; t < test->threads; ++t) {
    run->width += test->thread[t].registers;
    run->out[t] =
        heddle_litmus_allocate(HEDDLE_LITMUS_INSTANCES, (size_t)test->thread[t].registers * sizeof(int64_t) + 1);
  }
  for (l = 0; l < test->locations; ++l)
    run->memory[l] = heddle_litmus_allocate(HEDDLE_LITMUS_INSTANCES, test->location[l].size);
  run->meet = heddle_litmus_allocate(HEDDLE_LITMUS_INSTANCES, sizeof *run->meet);
  run->state = heddle_litmus_allocate(HEDDLE_LITMUS_STATES, (size_t)run->width * sizeof(int64_t) + 1);
  run->begin = heddle_stress_seconds();
  for (t = 0; t < test->threads; ++t) {
    run->worker[t].run = run;
    run->worker[t].index = t;
    run->worker[t].random = (settings->seed + (uint64_t)t + 7) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    error = pthread_create(&run->worker[t].handle, NULL, heddle_litmus_work, &run->worker[t]);
    if (error == 0) continue;
    fprintf(stderr, "cannot start thread %d of %d: %s\n", t + 1, test->threads, strerror(error));
    exit(3);
  }
  for (t = 0; t < test->threads; ++t) pthread_join(run->worker[t].handle, NULL);
  run->end = heddle_stress_seconds();
  heddle_litmus_print(run);
  for (t = 0; t < test->threads; ++t) free(run->out[t]);
  for (l = 0; l < test->locations; ++l) free(run->memory[l]);
  free(run->meet);
  free(run->state);
  free(run);
}

/* Runs the tests from number `--first` on; the other options are those of heddle_stress_main. */
static inline int heddle_litmus_main(int argc, char** argv, const struct heddle_litmus_test* tests, size_t count) {
  struct heddle_stress_settings settings = {0, 1000000, 10, 0, 0, 1, 16, 0, 1};
  size_t first = 0, t;
  int i;
  for (i = 1; i + 1 < argc; i += 2) {
    const char* problem = NULL;
    if (!strcmp(argv[i], "--first"))
      first = (size_t)strtoul(argv[i + 1], NULL, 10);
    else
      problem = heddle_stress_set(&settings, argv[i], argv[i + 1]);
    if (problem != NULL) return heddle_stress_usage(argv[0], problem);
  }
  for (t = first; t < count; ++t) heddle_litmus_run_test(&tests[t], &settings);
  return 0;
}

#endif
