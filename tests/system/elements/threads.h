// Starts two to four threads and waits for them.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef void* (*body)(void*);

static inline void run(int count, const body* bodies) {
  pthread_t threads[4];
  for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, bodies[i], (void*)i);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}
#define RUN(...) run((int)(sizeof((body[]){__VA_ARGS__}) / sizeof(body)), (const body[]){__VA_ARGS__})
