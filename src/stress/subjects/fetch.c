/* subjects: fetch_ discard_ add_assign sub_assign and_assign or_assign xor_assign increment
 * atomic_fetch_add, sub, and, or, xor on integers and pointers, with every memory order: with the old value looked at,
 * and without, because compilers choose other instructions then. */
#include <heddle/stress.h>

#include "subject_parts.h"

#define BIT(TYPE, BITS, THREAD) ((TYPE)((TYPE)1 << (((THREAD)-1) % (BITS))))

/* What thread t contributes, and what the value is afterwards. */
#define OPERAND_add(TYPE, BITS, THREAD) ((TYPE)square(THREAD))
#define OPERAND_sub(TYPE, BITS, THREAD) ((TYPE)square(THREAD))
#define OPERAND_xor(TYPE, BITS, THREAD) ((TYPE)square(THREAD))
#define OPERAND_or(TYPE, BITS, THREAD) BIT(TYPE, BITS, THREAD)
#define OPERAND_and(TYPE, BITS, THREAD) ((TYPE)~BIT(TYPE, BITS, THREAD))
#define AFTER_add(OLD, OPERAND) ((OLD) + (OPERAND))
#define AFTER_sub(OLD, OPERAND) ((OLD) - (OPERAND))
#define AFTER_xor(OLD, OPERAND) ((OLD) ^ (OPERAND))
#define AFTER_or(OLD, OPERAND) ((OLD) | (OPERAND))
#define AFTER_and(OLD, OPERAND) ((OLD) & (OPERAND))
#define START_add(TYPE) ((TYPE)0)
#define START_sub(TYPE) ((TYPE)0)
#define START_xor(TYPE) ((TYPE)0)
#define START_or(TYPE) ((TYPE)0)
#define START_and(TYPE) ((TYPE) ~(TYPE)0)

static uint64_t lost_add(uint64_t actual, unsigned bits, int threads) {
  return heddle_stress_lost_added(0, actual, bits, threads);
}
static uint64_t lost_sub(uint64_t actual, unsigned bits, int threads) {
  return heddle_stress_lost_subtracted(0, actual, bits, threads);
}
static uint64_t lost_xor(uint64_t actual, unsigned bits, int threads) {
  return heddle_stress_lost_xored(0, actual, bits, threads);
}
static uint64_t lost_or(uint64_t actual, unsigned bits, int threads) {
  uint64_t lost = 0;
  int t;
  for (t = 1; t <= threads; ++t)
    if ((actual >> ((unsigned)(t - 1) % bits) & 1) == 0) lost |= UINT64_C(1) << t;
  return lost;
}
static uint64_t lost_and(uint64_t actual, unsigned bits, int threads) { return lost_or(~actual, bits, threads); }

#define CELL(UNUSED, NAME, TYPE, BITS) static _Alignas(64) _Atomic(TYPE) x_##NAME;
FOR_INTEGERS(CELL, _)

#define CHECKS(OP, NAME, TYPE, BITS)                                                                                \
  static void reset_##OP##_##NAME(int threads) { (void)threads, atomic_store(&x_##NAME, START_##OP(TYPE)); }        \
  static uint64_t discarded_##OP##_##NAME(int threads) { return lost_##OP(atomic_load(&x_##NAME), BITS, threads); } \
  static uint64_t fetched_##OP##_##NAME(int threads) {                                                              \
    const uint64_t lost = discarded_##OP##_##NAME(threads);                                                         \
    /* `or` and `and` with a bit that is set already write the old value again. */                                  \
    if (lost != 0 || threads > (BITS)) return lost;                                                                 \
    return broken_chain_in_cells(START_##OP(TYPE), atomic_load(&x_##NAME), threads);                                \
  }
FOR_INTEGERS(CHECKS, add)
FOR_INTEGERS(CHECKS, sub)
FOR_INTEGERS(CHECKS, and)
FOR_INTEGERS(CHECKS, or)
FOR_INTEGERS(CHECKS, xor)

#define RUN(OP, NAME, TYPE, BITS, ORDER)                                                                   \
  static void fetch_##OP##_##NAME##_##ORDER(int thread) {                                                  \
    const TYPE operand = OPERAND_##OP(TYPE, BITS, thread);                                                 \
    const TYPE old = atomic_fetch_##OP##_explicit(&x_##NAME, operand, memory_order_##ORDER);               \
    cells[thread].first = old;                                                                             \
    cells[thread].second = (TYPE)AFTER_##OP(old, operand);                                                 \
  }                                                                                                        \
  static void discard_##OP##_##NAME##_##ORDER(int thread) {                                                \
    (void)atomic_fetch_##OP##_explicit(&x_##NAME, OPERAND_##OP(TYPE, BITS, thread), memory_order_##ORDER); \
  }
#define RUNS(OP, NAME, TYPE, BITS) FOR_RMW_ORDERS(RUN, OP, NAME, TYPE, BITS)
FOR_INTEGERS(RUNS, add)
FOR_INTEGERS(RUNS, sub)
FOR_INTEGERS(RUNS, and)
FOR_INTEGERS(RUNS, or)
FOR_INTEGERS(RUNS, xor)

/* The operators of atomic objects: seq_cst. */
#define OPERATORS(UNUSED, NAME, TYPE, BITS)                                                 \
  static void add_assign_##NAME(int thread) { x_##NAME += (TYPE)square(thread); }           \
  static void sub_assign_##NAME(int thread) { x_##NAME -= (TYPE)square(thread); }           \
  static void xor_assign_##NAME(int thread) { x_##NAME ^= (TYPE)square(thread); }           \
  static void or_assign_##NAME(int thread) { x_##NAME |= BIT(TYPE, BITS, thread); }         \
  static void and_assign_##NAME(int thread) { x_##NAME &= (TYPE)~BIT(TYPE, BITS, thread); } \
  static void increment_##NAME(int thread) {                                                \
    int i;                                                                                  \
    for (i = 0; i < thread * thread; ++i) ++x_##NAME;                                       \
  }                                                                                         \
  static uint64_t value_##NAME(void) { return atomic_load(&x_##NAME); }
FOR_INTEGERS(OPERATORS, _)

/* Pointers: bytes of an array that no address leaves. */
static char memory[64 * 64 * 64];
static _Alignas(64) _Atomic(char*) pointer;
static void reset_pointer(int threads) { (void)threads, atomic_store(&pointer, memory); }
static void reset_pointer_end(int threads) { (void)threads, atomic_store(&pointer, memory + sizeof memory); }
static uint64_t lost_pointer_add(int threads) {
  return heddle_stress_lost_added(0, (uint64_t)(atomic_load(&pointer) - memory), 64, threads);
}
static uint64_t lost_pointer_sub(int threads) {
  return heddle_stress_lost_added(0, (uint64_t)(memory + sizeof memory - atomic_load(&pointer)), 64, threads);
}
#define POINTER(UNUSED, ORDER)                                                                  \
  static void pointer_add_##ORDER(int thread) {                                                 \
    (void)atomic_fetch_add_explicit(&pointer, (ptrdiff_t)square(thread), memory_order_##ORDER); \
  }                                                                                             \
  static void pointer_sub_##ORDER(int thread) {                                                 \
    (void)atomic_fetch_sub_explicit(&pointer, (ptrdiff_t)square(thread), memory_order_##ORDER); \
  }
FOR_RMW_ORDERS(POINTER, _)

#define VALUE_OF_add(NAME) value_##NAME
#define VALUE_OF_sub(NAME) NULL
#define VALUE_OF_and(NAME) NULL
#define VALUE_OF_or(NAME) NULL
#define VALUE_OF_xor(NAME) NULL
#define ROW(OP, NAME, TYPE, BITS, ORDER)    \
  {"fetch_" #OP "/" #NAME "/" #ORDER,       \
   HEDDLE_STRESS_ATOMIC,                    \
   reset_##OP##_##NAME,                     \
   fetch_##OP##_##NAME##_##ORDER,           \
   fetched_##OP##_##NAME,                   \
   VALUE_OF_##OP(NAME),                     \
   BITS},                                   \
      {"discard_" #OP "/" #NAME "/" #ORDER, \
       HEDDLE_STRESS_ATOMIC,                \
       reset_##OP##_##NAME,                 \
       discard_##OP##_##NAME##_##ORDER,     \
       discarded_##OP##_##NAME,             \
       VALUE_OF_##OP(NAME),                 \
       BITS},
#define ROWS(OP, NAME, TYPE, BITS) FOR_RMW_ORDERS(ROW, OP, NAME, TYPE, BITS)
#define ASSIGN_ROW(OP, NAME, TYPE, BITS) \
  {#OP "_assign/" #NAME,                 \
   HEDDLE_STRESS_ATOMIC,                 \
   reset_##OP##_##NAME,                  \
   OP##_assign_##NAME,                   \
   discarded_##OP##_##NAME,              \
   VALUE_OF_##OP(NAME),                  \
   BITS},
#define INCREMENT_ROW(UNUSED, NAME, TYPE, BITS) \
  {"increment/" #NAME,                          \
   HEDDLE_STRESS_ATOMIC,                        \
   reset_add_##NAME,                            \
   increment_##NAME,                            \
   discarded_add_##NAME,                        \
   value_##NAME,                                \
   BITS},
#define POINTER_ROW(UNUSED, ORDER)                                                                                    \
  {"fetch_add/pointer/" #ORDER, HEDDLE_STRESS_ATOMIC, reset_pointer, pointer_add_##ORDER, lost_pointer_add, NULL, 0}, \
      {"fetch_sub/pointer/" #ORDER,                                                                                   \
       HEDDLE_STRESS_ATOMIC,                                                                                          \
       reset_pointer_end,                                                                                             \
       pointer_sub_##ORDER,                                                                                           \
       lost_pointer_sub,                                                                                              \
       NULL,                                                                                                          \
       0},

static const struct heddle_stress_subject subjects[] = {
    FOR_INTEGERS(ROWS, add) FOR_INTEGERS(ROWS, sub) FOR_INTEGERS(ROWS, and) FOR_INTEGERS(ROWS, or)
        FOR_INTEGERS(ROWS, xor) FOR_INTEGERS(ASSIGN_ROW, add) FOR_INTEGERS(ASSIGN_ROW, sub)
            FOR_INTEGERS(ASSIGN_ROW, and) FOR_INTEGERS(ASSIGN_ROW, or) FOR_INTEGERS(ASSIGN_ROW, xor)
                FOR_INTEGERS(INCREMENT_ROW, _) FOR_RMW_ORDERS(POINTER_ROW, _)};
HEDDLE_STRESS_MAIN(subjects)
