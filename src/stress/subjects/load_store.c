/* subjects: load_store flag
 * atomic_load, atomic_store and atomic_flag: no value is torn, and no thread reads backwards in the modification order.
 */
#include <heddle/stress.h>
#include <stdbool.h>

#include "subject_parts.h"

struct two {
  uint32_t low, high;
};
typedef void* address;

/* A value whose every byte is the thread's number: parts of two values show. */
#define REPEATED(N) ((uint64_t)(N)*UINT64_C(0x0101010101010101))
#define TO_u8(N) ((uint8_t)(N))
#define TO_u16(N) ((uint16_t)REPEATED(N))
#define TO_u32(N) ((uint32_t)REPEATED(N))
#define TO_u64(N) REPEATED(N)
#define TO_pointer(N) ((void*)(uintptr_t)REPEATED(N))
#define TO_double(N) ((double)(N) + 1.0 / 1048576)
#define TO_float(N) ((float)(N) + 1.0F / 1024)
#define TO_struct(N) ((struct two){(uint32_t)REPEATED(N), (uint32_t)REPEATED(N)})

/* The thread that wrote the value; 99: no thread did. */
#define WRITER_OF_BYTES(V, TYPE) ((V) == (TYPE)REPEATED((V)&0xff) ? (uint64_t)((V)&0xff) : 99)
#define WRITER_u8(V) ((uint64_t)(V))
#define WRITER_u16(V) WRITER_OF_BYTES(V, uint16_t)
#define WRITER_u32(V) WRITER_OF_BYTES(V, uint32_t)
#define WRITER_u64(V) WRITER_OF_BYTES(V, uint64_t)
#define WRITER_pointer(V) WRITER_OF_BYTES((uintptr_t)(V), uintptr_t)
#define WRITER_double(V) ((V) == TO_double((int)(V)) ? (uint64_t)(V) : 99)
#define WRITER_float(V) ((V) == TO_float((int)(V)) ? (uint64_t)(V) : 99)
#define WRITER_struct(V) ((V).low == (V).high ? WRITER_OF_BYTES((V).low, uint32_t) : 99)

#define FOR_TYPES(X)  \
  X(u8, uint8_t, 0)   \
  X(u16, uint16_t, 0) \
  X(u32, uint32_t, 0) \
  X(u64, uint64_t, 0) X(pointer, address, 0) X(float, float, 0) X(double, double, 0) X(struct, struct two, 0)

/* A thread that read another thread's value after its own store does not read its own again, nor a value that it has
 * seen replaced: every value is written once. */
static uint64_t reads_are_coherent(int t, int threads) {
  const uint64_t own = (uint64_t)t, first = cells[t].first, second = cells[t].second, third = cells[t].third;
  const uint64_t most = (uint64_t)threads;
  if (first < 1 || first > most || second < 1 || second > most || third < 1 || third > most) return 0;
  if ((first != own && (second == own || third == own)) || (second != own && third == own)) return 0;
  return !(first != second && third == first);
}
static uint64_t lost(int threads) {
  uint64_t wrong = 0;
  int t;
  for (t = 1; t <= threads; ++t)
    if (!reads_are_coherent(t, threads)) wrong |= UINT64_C(1) << t;
  return wrong;
}

#define COMMON(NAME, TYPE, UNUSED)            \
  static _Alignas(64) _Atomic(TYPE) x_##NAME; \
  static void reset_##NAME(int threads) { (void)threads, atomic_store(&x_##NAME, TO_##NAME(0)); }
FOR_TYPES(COMMON)

#define ACCESS(NAME, TYPE, STORE, LOAD)                                        \
  static void access_##NAME##_##STORE##_##LOAD(int thread) {                   \
    TYPE first, second, third;                                                 \
    atomic_store_explicit(&x_##NAME, TO_##NAME(thread), memory_order_##STORE); \
    first = atomic_load_explicit(&x_##NAME, memory_order_##LOAD);              \
    second = atomic_load_explicit(&x_##NAME, memory_order_##LOAD);             \
    third = atomic_load_explicit(&x_##NAME, memory_order_##LOAD);              \
    cells[thread].first = WRITER_##NAME(first);                                \
    cells[thread].second = WRITER_##NAME(second);                              \
    cells[thread].third = WRITER_##NAME(third);                                \
  }
#define ACCESSES(NAME, TYPE, UNUSED) FOR_ACCESS_ORDERS(ACCESS, NAME, TYPE)
FOR_TYPES(ACCESSES)

/* bool: a thread that sets it sees it set. */
static _Alignas(64) atomic_bool boolean;
static void reset_boolean(int threads) { (void)threads, atomic_store(&boolean, false); }
static uint64_t lost_boolean(int threads) {
  uint64_t wrong = atomic_load(&boolean) ? 0 : 1;
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first != 1) wrong |= UINT64_C(1) << t;
  return wrong;
}
#define BOOLEAN(UNUSED, STORE, LOAD)                                           \
  static void boolean_##STORE##_##LOAD(int thread) {                           \
    atomic_store_explicit(&boolean, true, memory_order_##STORE);               \
    cells[thread].first = atomic_load_explicit(&boolean, memory_order_##LOAD); \
  }
FOR_ACCESS_ORDERS(BOOLEAN, _)

/* atomic_flag: one thread sets it first. As a lock, it protects a plain sum. */
static _Alignas(64) atomic_flag flag = ATOMIC_FLAG_INIT;
static _Alignas(64) uint32_t plain;
static void reset_flag(int threads) {
  (void)threads;
  atomic_flag_clear(&flag);
  plain = 0;
}
static uint64_t lost_set(int threads) {
  int t, winners = 0;
  for (t = 1; t <= threads; ++t) winners += cells[t].first == 0;
  return winners != 1 || !atomic_flag_test_and_set(&flag);
}
static uint64_t lost_locked(int threads) { return heddle_stress_lost_added(0, plain, 32, threads); }
#define FLAG(UNUSED, ORDER)                                                               \
  static void flag_##ORDER(int thread) {                                                  \
    cells[thread].first = atomic_flag_test_and_set_explicit(&flag, memory_order_##ORDER); \
  }
FOR_RMW_ORDERS(FLAG, _)
#define LOCK(ACQUIRE, RELEASE)                                                                      \
  static void lock_##ACQUIRE##_##RELEASE(int thread) {                                              \
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_##ACQUIRE)) heddle_stress_pause(); \
    plain += (uint32_t)square(thread);                                                              \
    atomic_flag_clear_explicit(&flag, memory_order_##RELEASE);                                      \
  }
LOCK(acquire, release)
LOCK(acq_rel, release)
LOCK(seq_cst, seq_cst)
LOCK(acquire, seq_cst)

#define ACCESS_ROW(NAME, STORE, LOAD)        \
  {"load_store/" #NAME "/" #STORE "+" #LOAD, \
   HEDDLE_STRESS_ATOMIC,                     \
   reset_##NAME,                             \
   access_##NAME##_##STORE##_##LOAD,         \
   lost,                                     \
   NULL,                                     \
   0},
#define ACCESS_ROWS(NAME, TYPE, UNUSED) FOR_ACCESS_ORDERS(ACCESS_ROW, NAME)
#define BOOLEAN_ROW(UNUSED, STORE, LOAD) \
  {"load_store/bool/" #STORE "+" #LOAD,  \
   HEDDLE_STRESS_ATOMIC,                 \
   reset_boolean,                        \
   boolean_##STORE##_##LOAD,             \
   lost_boolean,                         \
   NULL,                                 \
   0},
#define FLAG_ROW(UNUSED, ORDER) {"flag/set/" #ORDER, HEDDLE_STRESS_ATOMIC, reset_flag, flag_##ORDER, lost_set, NULL, 0},
#define LOCK_ROW(ACQUIRE, RELEASE)     \
  {"flag/lock/" #ACQUIRE "+" #RELEASE, \
   HEDDLE_STRESS_ATOMIC,               \
   reset_flag,                         \
   lock_##ACQUIRE##_##RELEASE,         \
   lost_locked,                        \
   NULL,                               \
   0},

static const struct heddle_stress_subject subjects[] = {
    FOR_TYPES(ACCESS_ROWS) FOR_ACCESS_ORDERS(BOOLEAN_ROW, _) FOR_RMW_ORDERS(FLAG_ROW, _) LOCK_ROW(acquire, release)
        LOCK_ROW(acq_rel, release) LOCK_ROW(seq_cst, seq_cst) LOCK_ROW(acquire, seq_cst)};
HEDDLE_STRESS_MAIN(subjects)
