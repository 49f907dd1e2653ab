// Memory that is mapped before main counts the executions of a process. No atomic operation shows it, only the end of
// the second execution does.
#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

static int* counter;

__attribute__((constructor)) static void map_counter(void) {
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void) {
  ++*counter;
  assert(*counter != 2);
  return 0;
}
