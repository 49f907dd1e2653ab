/* What the files of subjects share: the memory orders, the integer types, and a cell for each thread. */
#ifndef HEDDLE_SUBJECT_PARTS_H
#define HEDDLE_SUBJECT_PARTS_H

#include <stdint.h>

/* clang-format off */
/* The macro X with each memory order behind its other arguments. */
#define FOR_RMW_ORDERS(X, ...) \
  X(__VA_ARGS__, relaxed) X(__VA_ARGS__, consume) X(__VA_ARGS__, acquire) \
  X(__VA_ARGS__, release) X(__VA_ARGS__, acq_rel) X(__VA_ARGS__, seq_cst)

/* Pairs of a success order and a failure order. */
#define FOR_CAS_ORDERS(X, ...) \
  X(__VA_ARGS__, relaxed, relaxed) X(__VA_ARGS__, consume, consume) X(__VA_ARGS__, acquire, relaxed) \
  X(__VA_ARGS__, acquire, acquire) X(__VA_ARGS__, release, relaxed) X(__VA_ARGS__, acq_rel, relaxed) \
  X(__VA_ARGS__, acq_rel, acquire) X(__VA_ARGS__, seq_cst, relaxed) X(__VA_ARGS__, seq_cst, acquire) \
  X(__VA_ARGS__, seq_cst, seq_cst)

/* Pairs of a store order and a load order. */
#define FOR_ACCESS_ORDERS(X, ...) \
  X(__VA_ARGS__, relaxed, relaxed) X(__VA_ARGS__, relaxed, consume) X(__VA_ARGS__, relaxed, acquire) \
  X(__VA_ARGS__, relaxed, seq_cst) X(__VA_ARGS__, release, relaxed) X(__VA_ARGS__, release, consume) \
  X(__VA_ARGS__, release, acquire) X(__VA_ARGS__, release, seq_cst) X(__VA_ARGS__, seq_cst, relaxed) \
  X(__VA_ARGS__, seq_cst, consume) X(__VA_ARGS__, seq_cst, acquire) X(__VA_ARGS__, seq_cst, seq_cst)

/* X(..., name, type, bits) */
#define FOR_INTEGERS(X, ...) \
  X(__VA_ARGS__, u8, uint8_t, 8) X(__VA_ARGS__, u16, uint16_t, 16) \
  X(__VA_ARGS__, u32, uint32_t, 32) X(__VA_ARGS__, u64, uint64_t, 64)
/* clang-format on */

enum { CELLS = 64 };

/* Results of threads, by thread, each in a cache line of its own. */
struct cell {
  _Alignas(64) uint64_t first;
  uint64_t second, third;
};

static struct cell cells[CELLS];

/* The values that the threads replaced, and those that they wrote instead, from cells. */
static inline uint64_t broken_chain_in_cells(uint64_t start, uint64_t last, int threads) {
  uint64_t olds[CELLS], news[CELLS];
  int t;
  for (t = 1; t <= threads; ++t) {
    olds[t] = cells[t].first;
    news[t] = cells[t].second;
  }
  return heddle_stress_broken_chain(start, olds, news, last, threads);
}

static inline uint64_t square(int thread) { return (uint64_t)thread * (uint64_t)thread; }

#endif
