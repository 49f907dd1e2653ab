/* subjects: cas_strong/u128 load_store/u128
 * flags(x86_64): -mcx16
 * Integers of 128 bits, where the chip and the compiler make them lock-free: gcc by its older __sync functions, because
 * it leaves _Atomic of this size to a library with locks; clang by the functions of C11. */
#include <heddle/stress.h>

#include "subject_parts.h"

#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16) && defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

static wide of(uint64_t number) { return (wide)number << 64 | ~number; }
static uint64_t number_in(wide value) {
  const uint64_t number = (uint64_t)(value >> 64);
  return (uint64_t)value == ~number ? number : UINT64_C(0xdead000000000000); /* torn */
}

#ifdef __clang__
static _Alignas(64) _Atomic(wide) x;
static wide read_x(void) { return atomic_load(&x); }
static void write_x(wide value) { atomic_store(&x, value); }
static wide compare_and_swap(wide expected, wide value) {
  atomic_compare_exchange_strong(&x, &expected, value);
  return expected;
}
#else
static _Alignas(64) wide x;
static wide compare_and_swap(wide expected, wide value) { return __sync_val_compare_and_swap(&x, expected, value); }
static wide read_x(void) { return compare_and_swap(0, 0); }
static void write_x(wide value) {
  wide old = read_x(), seen;
  while ((seen = compare_and_swap(old, value)) != old) old = seen;
}
#endif

static void reset(int threads) { (void)threads, write_x(of(0)); }
static void add(int thread) {
  wide old = read_x(), seen;
  while ((seen = compare_and_swap(old, of(number_in(old) + square(thread)))) != old) old = seen;
  cells[thread].first = number_in(old);
  cells[thread].second = number_in(old) + square(thread);
}
static uint64_t lost_added(int threads) {
  const uint64_t lost = heddle_stress_lost_added(0, number_in(read_x()), 64, threads);
  return lost != 0 ? lost : broken_chain_in_cells(0, number_in(read_x()), threads);
}
static void store(int thread) {
  write_x(of((uint64_t)thread));
  cells[thread].first = number_in(read_x());
}
static uint64_t lost_stored(int threads) {
  int t;
  for (t = 1; t <= threads; ++t)
    if (cells[t].first < 1 || cells[t].first > (uint64_t)threads) return UINT64_C(1) << t;
  return 0;
}

static const struct heddle_stress_subject subjects[] = {
    {"cas_strong/u128/seq_cst+seq_cst", HEDDLE_STRESS_ATOMIC, reset, add, lost_added, NULL, 0},
    {"load_store/u128/seq_cst+seq_cst", HEDDLE_STRESS_ATOMIC, reset, store, lost_stored, NULL, 0}};
HEDDLE_STRESS_MAIN(subjects)
#else
/* Not lock-free here: there is nothing to test. */
int main(int argc, char** argv) { return heddle_stress_main(argc, argv, NULL, 0); }
#endif
