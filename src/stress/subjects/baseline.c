/* subjects: plain_ cut_
 * Operations that are wrong on purpose: plain +, - and ^, and compare-exchange loops that give up. If the harness finds
 * no error in these, it would find none in others. */
#include <heddle/stress.h>

#include "subject_parts.h"

#define PLAIN(NAME, TYPE, BITS)                                                                                     \
  static TYPE plain_##NAME;                                                                                         \
  static void reset_##NAME(int threads) { (void)threads, plain_##NAME = 0; }                                        \
  static void add_##NAME(int thread) { plain_##NAME = (TYPE)(plain_##NAME + (TYPE)square(thread)); }                \
  static void sub_##NAME(int thread) { plain_##NAME = (TYPE)(plain_##NAME - (TYPE)square(thread)); }                \
  static void xor_##NAME(int thread) { plain_##NAME = (TYPE)(plain_##NAME ^ (TYPE)square(thread)); }                \
  static uint64_t lost_add_##NAME(int threads) { return heddle_stress_lost_added(0, plain_##NAME, BITS, threads); } \
  static uint64_t lost_sub_##NAME(int threads) {                                                                    \
    return heddle_stress_lost_subtracted(0, plain_##NAME, BITS, threads);                                           \
  }                                                                                                                 \
  static uint64_t lost_xor_##NAME(int threads) { return heddle_stress_lost_xored(0, plain_##NAME, BITS, threads); } \
  static uint64_t value_##NAME(void) { return plain_##NAME; }
#define PLAIN_OF(UNUSED, NAME, TYPE, BITS) PLAIN(NAME, TYPE, BITS)
FOR_INTEGERS(PLAIN_OF, _)

/* Load-linked and store-conditional for any chip. The last thread that loads holds the reservation, as on chips whose
 * load-exclusive takes the cache line away from the other cores: so a store may fail although the value is the same. */
static atomic_int cut;
static _Atomic(const void*) reservation;
static _Thread_local char identity;

static int load_linked(atomic_int* address) {
  atomic_store(&reservation, (const void*)&identity);
  return atomic_load(address);
}

static int store_conditional(atomic_int* address, int expected, int value) {
  const void* holder = &identity;
  if (!atomic_compare_exchange_strong(&reservation, &holder, NULL)) return 0;
  return atomic_compare_exchange_strong(address, &expected, value);
}

/* Listing 5.3 of the paper: the loop of musl's a_cas for aarch64, with a limit. The first store comes before the first
 * load, so it always fails, and one round never stores. */
static int cut_compare_and_swap(atomic_int* address, int expected, int value, int rounds) {
  int i, old = expected;
  for (i = 0; i < rounds && !(i > 0 && store_conditional(address, old, value)); ++i) {
    old = load_linked(address);
    if (old != expected) return 1;
  }
  return 0;
}

static void cut_fetch_add(int add, int rounds) {
  int old;
  do old = atomic_load_explicit(&cut, memory_order_relaxed);
  while (cut_compare_and_swap(&cut, old, old + add, rounds));
}

/* A compare-exchange loop with a limit: the update is lost when other threads win every round. A thread loses a round
 * to another one only once, so k rounds fail with more than k threads. */
static void cut_retry(int add, int rounds) {
  int old = atomic_load(&cut), i;
  for (i = 0; i < rounds; ++i)
    if (atomic_compare_exchange_strong(&cut, &old, old + add)) return;
}

static void reset_cut(int threads) {
  (void)threads;
  atomic_store(&cut, 0);
  atomic_store(&reservation, NULL);
}
static uint64_t lost_cut(int threads) { return heddle_stress_lost_added(0, (uint64_t)atomic_load(&cut), 32, threads); }
static uint64_t value_cut(void) { return (uint64_t)atomic_load(&cut); }

#define CUT(ROUNDS)                                                                   \
  static void cut_cas_##ROUNDS(int thread) { cut_fetch_add(thread* thread, ROUNDS); } \
  static void cut_retry_##ROUNDS(int thread) { cut_retry(thread* thread, ROUNDS); }
CUT(1)
CUT(2)
CUT(3)
CUT(4)
CUT(5)

/* clang-format off */
#define PLAIN_ROW(OPERATION, NAME, TYPE, BITS)                                                                       \
  {"plain_" #OPERATION "/" #NAME, HEDDLE_STRESS_BROKEN, reset_##NAME, OPERATION##_##NAME, lost_##OPERATION##_##NAME, \
   #OPERATION[0] == 'a' ? value_##NAME : NULL, BITS},
#define CUT_ROW(ROUNDS)                                                                                 \
  {"cut_cas/" #ROUNDS, HEDDLE_STRESS_BROKEN, reset_cut, cut_cas_##ROUNDS, lost_cut, value_cut, 32},     \
  {"cut_retry/" #ROUNDS, HEDDLE_STRESS_BROKEN, reset_cut, cut_retry_##ROUNDS, lost_cut, value_cut, 32},

static const struct heddle_stress_subject subjects[] = {
    FOR_INTEGERS(PLAIN_ROW, add) FOR_INTEGERS(PLAIN_ROW, sub) FOR_INTEGERS(PLAIN_ROW, xor)
    CUT_ROW(1) CUT_ROW(2) CUT_ROW(3) CUT_ROW(4) CUT_ROW(5)};
/* clang-format on */
HEDDLE_STRESS_MAIN(subjects)
