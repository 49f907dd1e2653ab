// _exit(0), also as a system call, is an ordinary end, from main and from other threads; exit handlers do not run.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int turn;

static void never(void) { assert(!"an exit handler runs at _exit"); }

static void* leaves(void* unused) {
  if (atomic_fetch_add(&turn, 1) == 0) syscall(SYS_exit_group, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  atexit(never);
  pthread_create(&thread, NULL, leaves, NULL);
  if (atomic_fetch_add(&turn, 1) == 0) _exit(0);
  pthread_join(thread, NULL);
  return 1;
}
