// Two threads keep a table by the number of a descriptor. The kernel gives a number to a new file only after it was
// closed, so the accesses to one entry are ordered.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int uses[64];

static void* use(void* nothing) {
  for (int i = 0; i < 2; ++i) {
    const int fd = eventfd(0, 0);
    assert(fd >= 0 && fd < 64);
    ++uses[fd];
    close(fd);
  }
  return nothing;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, use, NULL);
  pthread_create(&second, NULL, use, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += uses[i];
  assert(sum == 4);
  return 0;
}
