/* subjects: exchange cas_
 * atomic_exchange and atomic_compare_exchange, weak and strong: integers, bool, pointers, float, double and a struct of
 * 8 bytes, with every memory order. */
#include <heddle/stress.h>
#include <stdbool.h>

#include "subject_parts.h"

struct two {
  uint32_t sum, mix;
};

static char memory[64 * 64 * 64];

/* How each type holds a number. Floats hold these integers exactly. */
#define TO_u8(N) ((uint8_t)(N))
#define TO_u16(N) ((uint16_t)(N))
#define TO_u32(N) ((uint32_t)(N))
#define TO_u64(N) ((uint64_t)(N))
#define TO_pointer(N) (memory + (N))
#define TO_float(N) ((float)(N))
#define TO_double(N) ((double)(N))
#define TO_struct(N) ((struct two){(uint32_t)(N), ~(uint32_t)(N)})
#define FROM_u8(V) ((uint64_t)(V))
#define FROM_u16(V) ((uint64_t)(V))
#define FROM_u32(V) ((uint64_t)(V))
#define FROM_u64(V) (V)
#define FROM_pointer(V) ((uint64_t)((V)-memory))
#define FROM_float(V) ((uint64_t)(V))
#define FROM_double(V) ((uint64_t)(V))
/* A torn struct gives a number that no thread wrote. */
#define FROM_struct(V) ((V).mix == ~(V).sum ? (uint64_t)(V).sum : UINT64_C(0xdead0000))

#define FOR_TYPES(X)   \
  X(u8, uint8_t, 8)    \
  X(u16, uint16_t, 16) \
  X(u32, uint32_t, 32) \
  X(u64, uint64_t, 64) X(pointer, char*, 64) X(float, float, 64) X(double, double, 64) X(struct, struct two, 64)

#define COMMON(NAME, TYPE, BITS)                                                                            \
  static _Alignas(64) _Atomic(TYPE) x_##NAME;                                                               \
  static void reset_##NAME(int threads) { (void)threads, atomic_store(&x_##NAME, TO_##NAME(0)); }           \
  static uint64_t now_##NAME(void) {                                                                        \
    const TYPE value = atomic_load(&x_##NAME);                                                              \
    return FROM_##NAME(value);                                                                              \
  }                                                                                                         \
  static uint64_t exchanged_##NAME(int threads) { return broken_chain_in_cells(0, now_##NAME(), threads); } \
  static uint64_t added_##NAME(int threads) {                                                               \
    const uint64_t lost = heddle_stress_lost_added(0, now_##NAME(), BITS, threads);                         \
    return lost != 0 ? lost : broken_chain_in_cells(0, now_##NAME(), threads);                              \
  }
FOR_TYPES(COMMON)

#define EXCHANGE(NAME, TYPE, ORDER)                                                                \
  static void exchange_##NAME##_##ORDER(int thread) {                                              \
    const TYPE old = atomic_exchange_explicit(&x_##NAME, TO_##NAME(thread), memory_order_##ORDER); \
    cells[thread].first = FROM_##NAME(old);                                                        \
    cells[thread].second = (uint64_t)thread;                                                       \
  }
#define EXCHANGES(NAME, TYPE, BITS) FOR_RMW_ORDERS(EXCHANGE, NAME, TYPE)
FOR_TYPES(EXCHANGES)

/* A loop that adds the square of the thread's number. */
#define CAS(KIND, NAME, TYPE, SUCCESS, FAILURE)                                                                      \
  static void KIND##_##NAME##_##SUCCESS##_##FAILURE(int thread) {                                                    \
    TYPE old = atomic_load_explicit(&x_##NAME, memory_order_relaxed);                                                \
    while (!atomic_compare_exchange_##KIND##_explicit(&x_##NAME, &old, TO_##NAME(FROM_##NAME(old) + square(thread)), \
                                                      memory_order_##SUCCESS, memory_order_##FAILURE)) {             \
    }                                                                                                                \
    cells[thread].first = FROM_##NAME(old);                                                                          \
    cells[thread].second = FROM_##NAME(old) + square(thread);                                                        \
  }
#define STRONG(NAME, TYPE, BITS) FOR_CAS_ORDERS(CAS, strong, NAME, TYPE)
#define WEAK(NAME, TYPE, BITS) FOR_CAS_ORDERS(CAS, weak, NAME, TYPE)
FOR_TYPES(STRONG)
FOR_TYPES(WEAK)

/* One attempt from 0: one thread wins, and the others see its number. */
#define ONCE(UNUSED, SUCCESS, FAILURE)                                                                             \
  static void once_##SUCCESS##_##FAILURE(int thread) {                                                             \
    uint32_t expected = 0;                                                                                         \
    cells[thread].third = atomic_compare_exchange_strong_explicit(&x_u32, &expected, (uint32_t)thread,             \
                                                                  memory_order_##SUCCESS, memory_order_##FAILURE); \
    cells[thread].first = expected;                                                                                \
  }
FOR_CAS_ORDERS(ONCE, _)
static uint64_t lost_once(int threads) {
  const uint64_t winner = now_u32();
  int t, winners = 0;
  for (t = 1; t <= threads; ++t) {
    winners += (int)cells[t].third;
    if (cells[t].first != (cells[t].third ? 0 : winner)) return 1;
  }
  return winners != 1 || winner == 0 || cells[winner].third != 1;
}

static _Alignas(64) atomic_bool flag;
static void reset_flag(int threads) { (void)threads, atomic_store(&flag, false); }
static uint64_t lost_flag(int threads) {
  int t, winners = 0;
  for (t = 1; t <= threads; ++t) winners += cells[t].first == 0;
  return winners != 1 || !atomic_load(&flag);
}
#define BOOL_EXCHANGE(UNUSED, ORDER)                                                   \
  static void bool_exchange_##ORDER(int thread) {                                      \
    cells[thread].first = atomic_exchange_explicit(&flag, true, memory_order_##ORDER); \
  }
FOR_RMW_ORDERS(BOOL_EXCHANGE, _)
#define BOOL_CAS(UNUSED, SUCCESS, FAILURE)                                                                         \
  static void bool_cas_##SUCCESS##_##FAILURE(int thread) {                                                         \
    bool expected = false;                                                                                         \
    cells[thread].first = !atomic_compare_exchange_strong_explicit(&flag, &expected, true, memory_order_##SUCCESS, \
                                                                   memory_order_##FAILURE);                        \
  }
FOR_CAS_ORDERS(BOOL_CAS, _)

#define EXCHANGE_ROW(NAME, ORDER) \
  {"exchange/" #NAME "/" #ORDER,  \
   HEDDLE_STRESS_ATOMIC,          \
   reset_##NAME,                  \
   exchange_##NAME##_##ORDER,     \
   exchanged_##NAME,              \
   NULL,                          \
   0},
#define EXCHANGE_ROWS(NAME, TYPE, BITS) FOR_RMW_ORDERS(EXCHANGE_ROW, NAME)
#define CAS_ROW(KIND, NAME, SUCCESS, FAILURE)        \
  {"cas_" #KIND "/" #NAME "/" #SUCCESS "+" #FAILURE, \
   HEDDLE_STRESS_ATOMIC,                             \
   reset_##NAME,                                     \
   KIND##_##NAME##_##SUCCESS##_##FAILURE,            \
   added_##NAME,                                     \
   NULL,                                             \
   0},
#define STRONG_ROWS(NAME, TYPE, BITS) FOR_CAS_ORDERS(CAS_ROW, strong, NAME)
#define WEAK_ROWS(NAME, TYPE, BITS) FOR_CAS_ORDERS(CAS_ROW, weak, NAME)
#define ONCE_ROW(UNUSED, SUCCESS, FAILURE) \
  {"cas_once/u32/" #SUCCESS "+" #FAILURE,  \
   HEDDLE_STRESS_ATOMIC,                   \
   reset_u32,                              \
   once_##SUCCESS##_##FAILURE,             \
   lost_once,                              \
   NULL,                                   \
   0},
#define BOOL_EXCHANGE_ROW(UNUSED, ORDER) \
  {"exchange/bool/" #ORDER, HEDDLE_STRESS_ATOMIC, reset_flag, bool_exchange_##ORDER, lost_flag, NULL, 0},
#define BOOL_CAS_ROW(UNUSED, SUCCESS, FAILURE) \
  {"cas_strong/bool/" #SUCCESS "+" #FAILURE,   \
   HEDDLE_STRESS_ATOMIC,                       \
   reset_flag,                                 \
   bool_cas_##SUCCESS##_##FAILURE,             \
   lost_flag,                                  \
   NULL,                                       \
   0},

static const struct heddle_stress_subject subjects[] = {
    FOR_TYPES(EXCHANGE_ROWS) FOR_RMW_ORDERS(BOOL_EXCHANGE_ROW, _) FOR_TYPES(STRONG_ROWS) FOR_TYPES(WEAK_ROWS)
        FOR_CAS_ORDERS(ONCE_ROW, _) FOR_CAS_ORDERS(BOOL_CAS_ROW, _)};
HEDDLE_STRESS_MAIN(subjects)
