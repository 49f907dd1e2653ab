// Memory that is unmapped and mapped again, or moved, is other memory: accesses before that do not race with those
// after it, although nothing orders the two threads.
// heddle: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { size = 4096 };
static char* memory;
static atomic_int turn;

static void* work(void* unused) {
  memory[1] = 1;
  memory[size] = 1;
  memory[2 * size] = 1;
  atomic_store_explicit(&turn, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  memory = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) continue;
  // Unmapped, and mapped at the same address.
  munmap(memory, size);
  char* again = mmap(memory, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  assert(again == memory && again[1] == 0);
  again[1] = 2;
  // Replaced.
  again = mmap(memory + size, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  assert(again == memory + size && again[0] == 0);
  again[0] = 2;
  // Moved over by mremap.
  char* other = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  other = mremap(other, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, memory + 2 * size);
  assert(other == memory + 2 * size);
  other[0] = 2;
  pthread_join(thread, NULL);
  return 0;
}
