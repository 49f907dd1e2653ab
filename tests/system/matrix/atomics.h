// One spelling for C11 and C++20, so that the same litmus program is compiled as both.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
using std::memory_order;
#define ORDER_(name) std::memory_order_##name
#else
#include <stdatomic.h>
#define ORDER_(name) memory_order_##name
#endif
#define ORDER(name) ORDER_(name)  // `name` may itself be a macro

static inline int load(atomic_int* from, memory_order order) { return atomic_load_explicit(from, order); }
static inline void store(atomic_int* to, int value, memory_order order) { atomic_store_explicit(to, value, order); }

typedef void* (*Body)(void*);

static inline void run_threads(const Body* bodies, int count) {
  pthread_t threads[4];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}
