// The names that programs for the model checker GenMC use, so that they compile unchanged with heddle cc and heddle
// c++. docs/exhaustive.md says what each of them means here.
#ifndef HEDDLE_COMPATIBILITY_GENMC_H
#define HEDDLE_COMPATIBILITY_GENMC_H

#include <pthread.h>
#include <stddef.h>

#include "../verifier.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_GENMC_INLINE static inline __attribute__((always_inline, unused))

// ---- threads ----------------------------------------------------------------------------------------------------

typedef pthread_t __VERIFIER_thread_t;

HEDDLE_GENMC_INLINE __VERIFIER_thread_t __VERIFIER_spawn(void* (*routine)(void*), void* argument) {
  pthread_t thread;
  __VERIFIER_assume(pthread_create(&thread, NULL, routine, argument) == 0);
  return thread;
}
/// heddle finds equal threads by itself, with --symmetry.
HEDDLE_GENMC_INLINE __VERIFIER_thread_t __VERIFIER_spawn_symmetric(void* (*routine)(void*), void* argument,
                                                                   __VERIFIER_thread_t twin) {
  (void)twin;
  return __VERIFIER_spawn(routine, argument);
}
HEDDLE_GENMC_INLINE void* __VERIFIER_join(__VERIFIER_thread_t thread) {
  void* result = NULL;
  pthread_join(thread, &result);
  return result;
}
HEDDLE_GENMC_INLINE void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread) { (void)__VERIFIER_join(thread); }

// ---- hints, which heddle does not need: it recognises loops that wait or retry ------------------------------------

HEDDLE_GENMC_INLINE void __VERIFIER_loop_begin(void) {}
HEDDLE_GENMC_INLINE void __VERIFIER_spin_start(void) {}
HEDDLE_GENMC_INLINE void __VERIFIER_spin_end(int is_over) { (void)is_over; }

// Some of these are used as statements, others as values: the operation itself is both.
#define __VERIFIER_local_write(write) (write)
#define __VERIFIER_final_write(write) (write)
#define __VERIFIER_final_CAS(exchange) (exchange)
#define __VERIFIER_helped_CAS(exchange) ((void)(exchange))
#define __VERIFIER_helping_CAS(exchange) ((void)(exchange))
#define __VERIFIER_speculative_read(read) (read)
#define __VERIFIER_confirming_read(read) (read)
#define __VERIFIER_confirming_CAS(exchange) (exchange)
#define __VERIFIER_optional(statements) \
  do {                                  \
    statements;                         \
  } while (0)

// ---- hazard pointers: what is retired is never freed, so no pointer to it becomes dangling ------------------------

typedef struct {
  void* unused;
} __VERIFIER_hp_t;

HEDDLE_GENMC_INLINE __VERIFIER_hp_t* heddle_genmc_hazard_pointer(void) {
  static __VERIFIER_hp_t pointer;
  return &pointer;
}
#define __VERIFIER_hp_alloc() (*heddle_genmc_hazard_pointer())
#define __VERIFIER_hp_protect(hazard, pointer) ((void)(hazard), __atomic_load_n((void**)(pointer), __ATOMIC_ACQUIRE))
#define __VERIFIER_hp_clear(hazard) ((void)(hazard))
#define __VERIFIER_hp_free(hazard) ((void)(hazard))
#define __VERIFIER_hp_retire(pointer) ((void)(pointer))

// ---- persistent memory, which heddle does not model ----------------------------------------------------------------

#define HEDDLE_GENMC_NO_PERSISTENCE \
  __attribute__((error("heddle does not model persistent memory: this program needs GenMC")))
void* __VERIFIER_palloc(size_t size) HEDDLE_GENMC_NO_PERSISTENCE;
void __VERIFIER_pbarrier(void) HEDDLE_GENMC_NO_PERSISTENCE;

#ifdef __cplusplus
}
#endif

#endif
