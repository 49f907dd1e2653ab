// All sources of random numbers depend on the seed alone: the failing execution can be repeated, although it needs two
// equal numbers.
// heddle: finds assert
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static atomic_int turn;

static void* count(void* unused) {
  atomic_fetch_add(&turn, 1);
  return unused;
}

static uint8_t from_file(void) {
  uint8_t byte = 0;
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  assert(read(fd, &byte, 1) == 1);
  close(fd);
  return byte;
}

static uint8_t from_stream(void) {
  FILE* stream = fopen("/dev/random", "rb");
  const int byte = fgetc(stream);
  fclose(stream);
  return (uint8_t)byte;
}

static uint8_t from_kernel(void) {
  uint8_t byte = 0;
  assert(getrandom(&byte, 1, 0) == 1);
  return byte;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, count, 0);
  const int early = atomic_load(&turn);
  unsigned sum = from_file() + from_stream() + from_kernel();
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)
  uint8_t byte = 0;
  arc4random_buf(&byte, 1);
  sum += arc4random() + arc4random_uniform(3) + byte;
#endif
  pthread_join(thread, 0);
  assert(early == 1 || sum % 4 != 0);
}
