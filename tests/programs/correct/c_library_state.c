// The C library's state, and that of the process, as an execution finds it: the same every time, whatever the execution
// before has left behind.
// heddle: clean
// heddle-options: --isolation reset
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int handlers_called;
static int thread_finds_errno;
static char buffer[100];

static void at_exit(void) {
  ++handlers_called;
  assert(handlers_called == 1);
}
static void on_signal(int signal) { (void)signal; }

static void* thread_main(void* unused) {
  thread_finds_errno = errno;
  errno = 7;
  return unused;
}

static void check_text_functions(void) {
  assert(lrand48() == 0);  // the generator starts with the state 0 if nothing seeds it
  assert(lrand48() != 0);

  char a[] = "program", b[] = "-x", c[] = "-y";
  char* arguments[] = {a, b, c, NULL};
  assert(optind == 1);
  assert(getopt(3, arguments, "xy") == 'x');
  assert(getopt(3, arguments, "xy") == 'y');

  assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  setlocale(LC_ALL, "C.UTF-8");
}

static void check_environment(void) {
  assert(getenv("HEDDLE_TEST_VARIABLE") == NULL);
  setenv("HEDDLE_TEST_VARIABLE", "set", 1);
  assert(getenv("TZ") == NULL);
  setenv("TZ", "UTC-5", 1);
  tzset();
  assert(timezone == -5 * 3600);
}

static void check_signals(void) {
  struct sigaction action;
  sigaction(SIGUSR1, NULL, &action);
  assert(action.sa_handler == SIG_DFL);
  signal(SIGUSR1, on_signal);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  assert(!sigismember(&mask, SIGUSR2));
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  sigprocmask(SIG_BLOCK, &mask, NULL);
}

static void check_files(void) {
  char folder[4096];
  assert(getcwd(folder, sizeof folder) != NULL && strcmp(folder, "/") != 0);
  const mode_t mask = umask(0777);
  assert(mask != 0777);
  // A stream that stays open, with text that nothing has written out, and a full buffer for standard output.
  FILE* stream = fopen("/dev/null", "w");
  assert(stream != NULL && fileno(stream) < 10);
  fputs("text", stream);
  printf("%s", "");
  assert(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  printf("some text");
  assert(close(STDIN_FILENO) == 0);
  assert(chdir("/") == 0);
  assert(freopen("/dev/null", "w", stdout) != NULL);
}

int main(void) {
  errno = 0;
  pthread_t thread;
  assert(pthread_create(&thread, NULL, thread_main, NULL) == 0);
  pthread_join(thread, NULL);
  assert(thread_finds_errno == 0);
  check_text_functions();
  check_environment();
  check_signals();
  check_files();
  atexit(at_exit);
  return 0;
}
