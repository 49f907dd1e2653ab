// Runs a program whose main was renamed to program_main in a loop, as it is or under the compiler's own
// ThreadSanitizer.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int program_main(int argc, char** argv);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  const unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
  argv[1] = NULL;
  program_main(1, argv);
  const double begin = now();
  for (unsigned long i = 0; i < runs; ++i) program_main(1, argv);
  printf("{\"seconds\": %.9f, \"executions\": %lu}\n", now() - begin, runs);
  return 0;
}
