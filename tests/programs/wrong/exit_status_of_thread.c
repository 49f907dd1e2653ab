// A thread other than main ends the program with err(), which prints a message and calls exit.
// heddle: finds exit-status
// heddle-mentions: the program ended with exit status 3
// heddle-mentions: | exit_status_of_thread: second
// heddle-mentions: complain
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int first;

static void* complain(void* unused) {
  if (atomic_exchange(&first, 1) != 0) errx(3, "second");
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, complain, NULL);
  atomic_exchange(&first, 1);
  pthread_join(thread, NULL);
  return 0;
}
