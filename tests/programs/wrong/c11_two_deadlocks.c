// Two different deadlocks of C11 mutexes: they are told apart by where the program waits, not by where in the library.
// heddle: finds deadlock
// heddle-mentions: 2 bugs
#include <stddef.h>
#include <threads.h>

static mtx_t first, second, third;

static void hold_both(mtx_t* outer, mtx_t* inner) {
  mtx_lock(outer);
  mtx_lock(inner);
  mtx_unlock(inner);
  mtx_unlock(outer);
}

static int other(void* unused) {
  hold_both(&second, &first);
  mtx_lock(&third);
  mtx_lock(&second);
  mtx_unlock(&second);
  mtx_unlock(&third);
  (void)unused;
  return 0;
}

int main(void) {
  mtx_init(&first, mtx_plain);
  mtx_init(&second, mtx_plain);
  mtx_init(&third, mtx_plain);
  thrd_t thread;
  thrd_create(&thread, other, NULL);
  hold_both(&first, &second);
  mtx_lock(&second);
  mtx_lock(&third);
  mtx_unlock(&third);
  mtx_unlock(&second);
  thrd_join(thread, NULL);
}
