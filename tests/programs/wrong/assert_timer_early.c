// A timer that is armed for a second may expire before the other work is done.
// heddle: finds assert
// heddle-mentions: is_done
// heddle-levels: -O0 -O2
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int is_done;

static void on_alarm(int number) {
  (void)number;
  assert(atomic_load(&is_done));
}

int main(void) {
  signal(SIGALRM, on_alarm);
  alarm(1);
  for (int i = 0; i < 5; ++i) usleep(1000);
  atomic_store(&is_done, 1);
  alarm(0);
  return 0;
}
