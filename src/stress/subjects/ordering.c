/* subjects: message_passing store_buffering load_buffering
 * Memory orders and fences between two threads: message passing and store buffering. Threads 1 and 2 are a pair, 3 and
 * 4 the next one. */
#include <heddle/stress.h>

#include "subject_parts.h"

struct pair {
  _Alignas(64) atomic_int x;
  _Alignas(64) atomic_int y;
  _Alignas(64) int plain;
};
static struct pair pairs[CELLS / 2];

static void reset(int threads) {
  int p;
  for (p = 0; p < threads / 2; ++p) {
    atomic_store(&pairs[p].x, 0);
    atomic_store(&pairs[p].y, 0);
    pairs[p].plain = 0;
  }
}

static struct pair* pair_of(int thread) { return &pairs[(thread - 1) / 2]; }
static int is_odd(int thread) { return thread % 2 == 1; }

/* The reader saw the flag, but not the message: the effect of the writer was lost. */
static uint64_t lost_message(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 2; t <= threads; t += 2)
    if (cells[t].first == 1 && cells[t].second != 42) wrong |= UINT64_C(1) << (t - 1);
  return wrong;
}

/* Both threads read 0: each stored before it loaded, and no store was seen. */
static uint64_t lost_stores(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 2; t <= threads; t += 2)
    if (cells[t].first == 0 && cells[t - 1].first == 0) wrong |= UINT64_C(3) << (t - 1);
  return wrong;
}

/* Both threads read the store that follows the other's load. */
static uint64_t lost_loads(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 2; t <= threads; t += 2)
    if (cells[t].first == 1 && cells[t - 1].first == 1) wrong |= UINT64_C(3) << (t - 1);
  return wrong;
}

#define STORE(WHERE, VALUE, ORDER) atomic_store_explicit(WHERE, VALUE, memory_order_##ORDER)
#define LOAD(WHERE, ORDER) atomic_load_explicit(WHERE, memory_order_##ORDER)
#define FENCE_none ((void)0)
#define FENCE_acquire atomic_thread_fence(memory_order_acquire)
#define FENCE_release atomic_thread_fence(memory_order_release)
#define FENCE_acq_rel atomic_thread_fence(memory_order_acq_rel)
#define FENCE_seq_cst atomic_thread_fence(memory_order_seq_cst)

#define MESSAGE(NAME, WRITE_FENCE, SET, GET, READ_FENCE)        \
  static void message_##NAME(int thread) {                      \
    struct pair* pair = pair_of(thread);                        \
    if (is_odd(thread)) {                                       \
      STORE(&pair->x, 42, relaxed);                             \
      FENCE_##WRITE_FENCE;                                      \
      SET;                                                      \
    } else {                                                    \
      cells[thread].first = (uint64_t)(GET);                    \
      FENCE_##READ_FENCE;                                       \
      cells[thread].second = (uint64_t)LOAD(&pair->x, relaxed); \
    }                                                           \
  }
#define PLAIN_MESSAGE(NAME, WRITE_FENCE, SET, GET, READ_FENCE)                    \
  static void plain_message_##NAME(int thread) {                                  \
    struct pair* pair = pair_of(thread);                                          \
    if (is_odd(thread)) {                                                         \
      pair->plain = 42;                                                           \
      FENCE_##WRITE_FENCE;                                                        \
      SET;                                                                        \
    } else {                                                                      \
      cells[thread].first = (uint64_t)(GET);                                      \
      FENCE_##READ_FENCE;                                                         \
      if (cells[thread].first == 1) cells[thread].second = (uint64_t)pair->plain; \
    }                                                                             \
  }
#define FOR_MESSAGES(X)                                                                                           \
  X(release_acquire, none, STORE(&pair->y, 1, release), LOAD(&pair->y, acquire), none)                            \
  X(release_seq_cst, none, STORE(&pair->y, 1, release), LOAD(&pair->y, seq_cst), none)                            \
  X(seq_cst_acquire, none, STORE(&pair->y, 1, seq_cst), LOAD(&pair->y, acquire), none)                            \
  X(seq_cst, none, STORE(&pair->y, 1, seq_cst), LOAD(&pair->y, seq_cst), none)                                    \
  X(fence_release_acquire, release, STORE(&pair->y, 1, relaxed), LOAD(&pair->y, relaxed), acquire)                \
  X(fence_acq_rel, acq_rel, STORE(&pair->y, 1, relaxed), LOAD(&pair->y, relaxed), acq_rel)                        \
  X(fence_seq_cst, seq_cst, STORE(&pair->y, 1, relaxed), LOAD(&pair->y, relaxed), seq_cst)                        \
  X(fence_release_load_acquire, release, STORE(&pair->y, 1, relaxed), LOAD(&pair->y, acquire), none)              \
  X(store_release_fence_acquire, none, STORE(&pair->y, 1, release), LOAD(&pair->y, relaxed), acquire)             \
  X(exchange_release, none, atomic_exchange_explicit(&pair->y, 1, memory_order_release), LOAD(&pair->y, acquire), \
    none)                                                                                                         \
  X(add_acq_rel, none, atomic_fetch_add_explicit(&pair->y, 1, memory_order_acq_rel),                              \
    atomic_fetch_add_explicit(&pair->y, 0, memory_order_acq_rel), none)                                           \
  X(exchange_seq_cst, none, atomic_exchange(&pair->y, 1), atomic_fetch_or(&pair->y, 0), none)
FOR_MESSAGES(MESSAGE)
FOR_MESSAGES(PLAIN_MESSAGE)
MESSAGE(relaxed, none, STORE(&pair->y, 1, relaxed), LOAD(&pair->y, relaxed), none)

#define BUFFER(NAME, SET, FENCE, GET)                                                \
  static void buffer_##NAME(int thread) {                                            \
    atomic_int* mine = is_odd(thread) ? &pair_of(thread)->x : &pair_of(thread)->y;   \
    atomic_int* theirs = is_odd(thread) ? &pair_of(thread)->y : &pair_of(thread)->x; \
    SET;                                                                             \
    FENCE_##FENCE;                                                                   \
    cells[thread].first = (uint64_t)(GET);                                           \
  }
#define FOR_BUFFERS(X)                                                                      \
  X(seq_cst, STORE(mine, 1, seq_cst), none, LOAD(theirs, seq_cst))                          \
  X(fence_seq_cst, STORE(mine, 1, relaxed), seq_cst, LOAD(theirs, relaxed))                 \
  X(release_fence_seq_cst_acquire, STORE(mine, 1, release), seq_cst, LOAD(theirs, acquire)) \
  X(exchange_seq_cst, atomic_exchange(mine, 1), none, LOAD(theirs, seq_cst))                \
  X(add_seq_cst, atomic_fetch_add(mine, 1), none, LOAD(theirs, seq_cst))
#define FOR_WEAK_BUFFERS(X)                                                 \
  X(relaxed, STORE(mine, 1, relaxed), none, LOAD(theirs, relaxed))          \
  X(release_acquire, STORE(mine, 1, release), none, LOAD(theirs, acquire))  \
  X(fence_acq_rel, STORE(mine, 1, relaxed), acq_rel, LOAD(theirs, relaxed)) \
  X(release_seq_cst, STORE(mine, 1, release), none, LOAD(theirs, seq_cst))
FOR_BUFFERS(BUFFER)
FOR_WEAK_BUFFERS(BUFFER)

#define LOADS(NAME, LOAD_ORDER, STORE_ORDER)                                                \
  static void loads_##NAME(int thread) {                                                    \
    struct pair* pair = pair_of(thread);                                                    \
    cells[thread].first = (uint64_t)LOAD(is_odd(thread) ? &pair->y : &pair->x, LOAD_ORDER); \
    STORE(is_odd(thread) ? &pair->x : &pair->y, 1, STORE_ORDER);                            \
  }
LOADS(relaxed, relaxed, relaxed)
LOADS(acquire_release, acquire, release)
LOADS(seq_cst, seq_cst, seq_cst)

#define MESSAGE_ROW(NAME, WRITE_FENCE, SET, GET, READ_FENCE)                                      \
  {"message_passing/" #NAME, HEDDLE_STRESS_ATOMIC, reset, message_##NAME, lost_message, NULL, 0}, \
      {"message_passing/plain/" #NAME, HEDDLE_STRESS_ATOMIC, reset, plain_message_##NAME, lost_message, NULL, 0},
#define BUFFER_ROW(NAME, SET, FENCE, GET) \
  {"store_buffering/" #NAME, HEDDLE_STRESS_ATOMIC, reset, buffer_##NAME, lost_stores, NULL, 0},
#define WEAK_BUFFER_ROW(NAME, SET, FENCE, GET) \
  {"store_buffering/" #NAME, HEDDLE_STRESS_WEAK, reset, buffer_##NAME, lost_stores, NULL, 0},

static const struct heddle_stress_subject subjects[] = {
    FOR_MESSAGES(MESSAGE_ROW) FOR_BUFFERS(BUFFER_ROW) FOR_WEAK_BUFFERS(WEAK_BUFFER_ROW){
        "message_passing/relaxed", HEDDLE_STRESS_WEAK, reset, message_relaxed, lost_message, NULL, 0},
    {"load_buffering/relaxed", HEDDLE_STRESS_WEAK, reset, loads_relaxed, lost_loads, NULL, 0},
    {"load_buffering/acquire_release", HEDDLE_STRESS_ATOMIC, reset, loads_acquire_release, lost_loads, NULL, 0},
    {"load_buffering/seq_cst", HEDDLE_STRESS_ATOMIC, reset, loads_seq_cst, lost_loads, NULL, 0}};
HEDDLE_STRESS_MAIN(subjects)
