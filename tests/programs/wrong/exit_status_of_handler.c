// An exit handler replaces the status by calling _exit: that status counts, and the place of that call is shown.
// heddle: finds exit-status
// heddle-mentions: the program ended with exit status 4
// heddle-mentions: at_the_end
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static atomic_int late;

static int sets(void* unused) {
  (void)unused;
  atomic_store(&late, 1);
  return 0;
}

static void at_the_end(void) {
  if (atomic_load(&late) == 0) _exit(4);
}

int main(void) {
  thrd_t thread;
  atexit(at_the_end);
  thrd_create(&thread, sets, NULL);
  thrd_detach(thread);
  thrd_yield();
  exit(0);
}
