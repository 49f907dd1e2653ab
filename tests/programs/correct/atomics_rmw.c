// Every read-modify-write operation of C11 and of the compilers' builtins, none of them losing another's update.
// heddle: clean
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static atomic_int sum, bits, flips;
static atomic_uint mask = 0xff;
static int builtin, nand = 0;
static atomic_int exchanged;

static int work(void* argument) {
  const int me = *(int*)argument;
  atomic_fetch_add_explicit(&sum, 5, memory_order_relaxed);
  atomic_fetch_sub_explicit(&sum, 2, memory_order_release);
  atomic_fetch_or_explicit(&bits, 1 << me, memory_order_acq_rel);
  atomic_fetch_xor_explicit(&flips, 3, memory_order_seq_cst);
  atomic_fetch_and_explicit(&mask, ~(1u << me), memory_order_acquire);
  __atomic_add_fetch(&builtin, 1, __ATOMIC_RELAXED);
  __sync_fetch_and_add(&builtin, 1);
  __atomic_fetch_nand(&nand, 0, __ATOMIC_RELAXED);  // ~(x & 0) is all ones
  sum++;
  const int before = atomic_exchange(&exchanged, me + 1);
  return before;
}

int main(void) {
  static int names[2] = {0, 1};
  thrd_t threads[2];
  int before[2];
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], work, &names[i]);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], &before[i]);
  assert(sum == 8 && bits == 3 && flips == 0 && mask == 0xfc && builtin == 4 && nand == -1);
  assert((before[0] == 0) != (before[1] == 0));
  return 0;
}
