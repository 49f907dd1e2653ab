// A copy that is too large for its target: _FORTIFY_SOURCE ends the program.
// heddle: finds crash
// heddle-flags: -O2 -D_FORTIFY_SOURCE=2
// heddle-mentions: copies
#include <pthread.h>
#include <string.h>

static char target[8];
static const char source[40] = "twenty-four characters..";
static volatile size_t size = 24;

static void* copies(void* unused) {
  memcpy(target, source, size);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, copies, NULL);
  pthread_join(thread, NULL);
  return 0;
}
