// Computes for ever, and blocks every signal.
#include <signal.h>
#include <stddef.h>

int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (;;) {  // one instruction: every interruption shows the same place
  }
}
