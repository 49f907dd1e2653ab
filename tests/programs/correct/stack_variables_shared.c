// Threads use variables on the stacks of others that are alive: in the innermost frame, in an outer one, in an array
// whose size is known late, in a frame of a handler of a signal, and while the owner of the stack runs, waits or has
// called deeply.
// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

struct task {
  int* number;
  atomic_int* done;
};

static void* adds(void* argument) {
  struct task* task = argument;
  for (int i = 0; i < 4; ++i) *task->number += 1;
  if (task->done) atomic_store(task->done, 1);
  return NULL;
}

__attribute__((noinline)) static int waits_below(pthread_t thread, int depth) {
  volatile char room[64];
  room[0] = (char)depth;
  if (depth > 0) return waits_below(thread, depth - 1) + room[0] * 0;
  pthread_join(thread, NULL);
  return 0;
}

__attribute__((noinline)) static void innermost(void) {
  int number = 0;
  struct task task = {&number, NULL};
  pthread_t thread;
  pthread_create(&thread, NULL, adds, &task);
  pthread_join(thread, NULL);
  assert(number == 4);
}

__attribute__((noinline)) static void outer(void) {
  int number = 0;
  struct task task = {&number, NULL};
  pthread_t thread;
  pthread_create(&thread, NULL, adds, &task);
  waits_below(thread, 5);
  assert(number == 4);
}

__attribute__((noinline)) static void sized_late(int count) {
  int numbers[count];
  struct task tasks[count];
  pthread_t threads[count];
  for (int i = 0; i < count; ++i) {
    numbers[i] = 0;
    tasks[i] = (struct task){&numbers[i], NULL};
    pthread_create(&threads[i], NULL, adds, &tasks[i]);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; ++i) assert(numbers[i] == 4);
}

__attribute__((noinline)) static void spinning(void) {
  int number = 0;
  atomic_int done = 0;
  struct task task = {&number, &done};
  pthread_t thread;
  pthread_create(&thread, NULL, adds, &task);
  while (!atomic_load(&done)) {
  }
  assert(number == 4);
  pthread_join(thread, NULL);
}

static void handles(int number) {
  (void)number;
  innermost();
}

int main(void) {
  innermost();
  outer();
  volatile int count = 3;
  sized_late(count);
  spinning();
  signal(SIGUSR1, handles);
  raise(SIGUSR1);
  return 0;
}
