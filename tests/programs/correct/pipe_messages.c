// heddle: clean
// heddle-runs: 200
// heddle-levels: -O0 -O2
// Threads that talk through pipes: a write happens before the read that takes it, a full pipe makes the writer wait,
// and the end of the writers ends the reader's loop.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { rounds = 3, many = 200000 };

static int there[2], back[2];
static int shared;
static char big[many];

static void* echo(void* unused) {
  (void)unused;
  char byte;
  while (read(there[0], &byte, 1) == 1) {
    ++shared;
    byte++;
    struct iovec vector = {&byte, 1};
    assert(writev(back[1], &vector, 1) == 1);
  }
  ssize_t all = 0, got;
  static char buffer[4096];
  close(back[1]);
  while ((got = read(back[0], buffer, sizeof buffer)) > 0) all += got;
  assert(got == 0);
  return (void*)(size_t)all;
}

static void* fill(void* unused) {
  (void)unused;
  memset(big, 'x', sizeof big);
  assert(write(there[1], big, sizeof big) == sizeof big); /* more than the pipe holds */
  close(there[1]);
  return 0;
}

int main(void) {
  assert(pipe(there) == 0 && pipe2(back, 0) == 0);
  assert(there[0] < there[1] && there[1] < back[0] && back[0] < back[1]);
  pthread_t thread;
  pthread_create(&thread, 0, echo, 0);
  for (int i = 0; i < rounds; ++i) {
    shared += 10;
    char byte = (char)i, answer[2];
    assert(write(there[1], &byte, 1) == 1);
    struct iovec vectors[2] = {{answer, 1}, {answer + 1, 1}};
    assert(readv(back[0], vectors, 2) == 1);
    assert(answer[0] == byte + 1);
    assert(shared == 11 * (i + 1));
  }
  close(there[1]); /* the other thread's loop ends */
  void* read_by_thread;
  pthread_join(thread, &read_by_thread);
  assert(read_by_thread == 0);
  close(there[0]);
  close(back[0]);

  assert(pipe(there) == 0);
  pthread_create(&thread, 0, fill, 0);
  size_t all = 0;
  static char buffer[5000];
  ssize_t got;
  while ((got = read(there[0], buffer, sizeof buffer)) > 0) {
    for (ssize_t i = 0; i < got; ++i) assert(buffer[i] == 'x');
    all += (size_t)got;
  }
  assert(got == 0 && all == many);
  pthread_join(thread, 0);
  return 0;
}
