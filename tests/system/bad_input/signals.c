// Does what the argument says; the exhaustive search knows none of it.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

void* __tsan_create_fiber(unsigned flags);
void __tsan_testonly_barrier_init(unsigned long long* barrier, unsigned count);
void __tsan_testonly_barrier_wait(unsigned long long* barrier);

static void on_signal(int number) { (void)number; }

static void* work(void* unused) {
  (void)unused;
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  signal(SIGUSR1, on_signal);
  signal(SIGALRM, on_signal);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (strcmp(argv[1], "kill") == 0) pthread_kill(thread, SIGUSR1);
  if (strcmp(argv[1], "cancel") == 0) pthread_cancel(thread);
  if (strcmp(argv[1], "alarm") == 0) alarm(1);
  if (strcmp(argv[1], "wait") == 0) pause();
  if (strcmp(argv[1], "stop") == 0) raise(SIGSTOP);
  if (strcmp(argv[1], "fiber") == 0) __tsan_create_fiber(0);
  if (strcmp(argv[1], "barrier") == 0) {
    unsigned long long barrier;
    __tsan_testonly_barrier_init(&barrier, 1);
    __tsan_testonly_barrier_wait(&barrier);
  }
  pthread_join(thread, NULL);
  return 0;
}
