// A program as GenMC's users write it: every name of genmc.h.
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int turn, counter;
_Atomic(int*) shared;

static void* add(void* argument) {
  for (__VERIFIER_loop_begin(); atomic_load(&turn) == 2;) {
    __VERIFIER_spin_start();
    __VERIFIER_spin_end(atomic_load(&turn) != 2);
  }
  int old = __VERIFIER_speculative_read(atomic_load(&counter));
  while (!__VERIFIER_confirming_CAS(atomic_compare_exchange_strong(&counter, &old, old + 1))) {
  }
  __VERIFIER_optional((void)atomic_load(&turn));
  __VERIFIER_hp_t hazard = __VERIFIER_hp_alloc();
  int* mine = (int*)__VERIFIER_hp_protect(&hazard, &shared);
  assert(mine == NULL || *mine == 7);
  int* expected = mine;
  if (mine != NULL && __VERIFIER_final_CAS(atomic_compare_exchange_strong(&shared, &expected, NULL)))
    __VERIFIER_hp_retire(mine);
  __VERIFIER_hp_clear(&hazard);
  __VERIFIER_hp_free(&hazard);
  return argument;
}

int main(void) {
  int* block = malloc(sizeof *block);
  __VERIFIER_local_write(*block = 7);
  __VERIFIER_final_write(atomic_store(&shared, block));
  int zero = 0;
  __VERIFIER_helped_CAS(atomic_compare_exchange_strong(&turn, &zero, 1));
  __VERIFIER_helping_CAS(atomic_compare_exchange_strong(&turn, &zero, 1));
  __VERIFIER_thread_t first = __VERIFIER_spawn(add, NULL);
  __VERIFIER_thread_t second = __VERIFIER_spawn_symmetric(add, NULL, first);
  assert(__VERIFIER_join(first) == NULL);
  __VERIFIER_join_symmetric(second);
  assert(__VERIFIER_confirming_read(atomic_load(&counter)) == 2);
  __VERIFIER_assume(__VERIFIER_nondet_int() == 1);
  return 0;
}
