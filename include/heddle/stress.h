/* Black-box stress tests of compiled primitives, in plain C11: the C library and POSIX threads are all that is needed.
 *
 * A subject is an operation that all threads perform once in every run. Before and after it, each thread takes a number
 * from eight shared counters; if two threads took their numbers in different orders, they interleaved. Runs continue
 * until enough of them have interleaved. A file with subjects is a program of its own, and `heddle stress FILE` runs it
 * with any compiler:
 *
 *     #include <heddle/stress.h>
 *
 *     static int x;
 *     static void reset(int threads) { (void)threads; x = 0; }
 *     static void run(int thread) { x += thread * thread; }
 *     static uint64_t lost(int threads) { return heddle_stress_lost_added(0, (uint64_t)x, 32, threads); }
 *     static const struct heddle_stress_subject subjects[] = {{"add", HEDDLE_STRESS_ATOMIC, reset, run, lost, 0, 0}};
 *     HEDDLE_STRESS_MAIN(subjects)
 *
 * Include this header before all others: it asks the C library for thread affinity. A C++ file gets the declarations
 * alone; `heddle stress` links the rest. docs/stress.md describes all of it. */
#ifndef HEDDLE_STRESS_H
#define HEDDLE_STRESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_stress_expectation {
  HEDDLE_STRESS_ATOMIC, /* an error is a bug of the compiler, the library or the chip */
  HEDDLE_STRESS_BROKEN, /* the subject is wrong on purpose: errors show that the test works */
  HEDDLE_STRESS_WEAK    /* the memory model allows what `lost` reports: it is counted, and is no bug */
};

/* Threads are numbered from 1. Only one thread at a time calls reset, lost and value, while no thread is in run. */
struct heddle_stress_subject {
  const char* name; /* "fetch_add/u32/seq_cst": the part before the first slash names the family */
  enum heddle_stress_expectation expectation;
  void (*reset)(int threads);
  void (*run)(int thread);
  /* 0: the result is as it should be. Bit t: the effect of thread t was lost. Bit 0: an error that names no thread. */
  uint64_t (*lost)(int threads);
  /* Optional, for the naive test: the value after `reset`, plus one for each run(1), modulo 2^bits. */
  uint64_t (*value)(void);
  unsigned bits;
};

enum { HEDDLE_STRESS_MOST_THREADS = 63 };

/* Which threads are missing from a result to which every thread contributed the square of its number. */
static inline uint64_t heddle_stress_missing(uint64_t difference, int threads, unsigned bits, int is_xor) {
  const uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  uint64_t found = 0;
  int t;
  difference &= mask;
  if (difference == 0) return 0;
  for (t = 1; t <= threads; ++t)
    if (((uint64_t)t * (uint64_t)t & mask) == difference) return UINT64_C(1) << t;
  /* More than one thread: the squares of up to four threads have unique sums, more threads may be ambiguous. */
  if (threads <= 12) {
    uint64_t set;
    for (set = 1; set < UINT64_C(1) << threads; ++set) {
      uint64_t sum = 0;
      for (t = 1; t <= threads; ++t) {
        const uint64_t square = (set >> (t - 1) & 1) != 0 ? (uint64_t)t * (uint64_t)t : 0;
        sum = is_xor ? sum ^ square : sum + square;
      }
      if ((sum & mask) != difference) continue;
      if (found != 0) return 1;
      found = set << 1;
    }
  }
  return found != 0 ? found : 1;
}

static inline uint64_t heddle_stress_sum_of_squares(int threads) {
  const uint64_t n = (uint64_t)threads;
  return n * (n + 1) * (2 * n + 1) / 6;
}

/* Every thread t added t * t to `start`, and `actual` came out, in an integer of `bits` bits. */
static inline uint64_t heddle_stress_lost_added(uint64_t start, uint64_t actual, unsigned bits, int threads) {
  return heddle_stress_missing(start + heddle_stress_sum_of_squares(threads) - actual, threads, bits, 0);
}

/* Every thread t subtracted t * t from `start`. */
static inline uint64_t heddle_stress_lost_subtracted(uint64_t start, uint64_t actual, unsigned bits, int threads) {
  return heddle_stress_missing(actual - (start - heddle_stress_sum_of_squares(threads)), threads, bits, 0);
}

/* Every thread t applied ^ t * t to `start`. */
static inline uint64_t heddle_stress_lost_xored(uint64_t start, uint64_t actual, unsigned bits, int threads) {
  uint64_t expected = start;
  int t;
  for (t = 1; t <= threads; ++t) expected ^= (uint64_t)t * (uint64_t)t;
  return heddle_stress_missing(expected ^ actual, threads, bits, 1);
}

/* Thread t, from 1 on, replaced olds[t] by news[t] in one atomic step. In whatever order they did so, every value but
 * the last was replaced once. Returns 1 if the values contradict that, which an operation that is not atomic brings
 * about. */
static inline uint64_t heddle_stress_broken_chain(uint64_t start, const uint64_t* olds, const uint64_t* news,
                                                  uint64_t last, int threads) {
  int t, u;
  for (t = 0; t <= threads; ++t) {
    const uint64_t value = t == 0 ? start : news[t];
    int written = value == start, replaced = value == last;
    for (u = 1; u <= threads; ++u) {
      written += news[u] == value;
      replaced += olds[u] == value;
    }
    if (written != replaced) return 1;
  }
  return 0;
}

#if defined(__cplusplus) || defined(HEDDLE_STRESS_DECLARATIONS_ONLY)
int heddle_stress_main(int argc, char** argv, const struct heddle_stress_subject* subjects, size_t count);
#else
#include "heddle/stress_harness.h"
#endif

#ifdef __cplusplus
}
#endif

#define HEDDLE_STRESS_MAIN(subjects)                                                           \
  int main(int argc, char** argv) {                                                            \
    return heddle_stress_main(argc, argv, subjects, sizeof(subjects) / sizeof((subjects)[0])); \
  }

#endif
