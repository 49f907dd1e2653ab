// One mistake: main copies the struct without a lock. The copy races with every member that the thread writes.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct Settings {
  int width, height, depth, rate, level, mode;
};
static struct Settings shared, kept;
static struct Settings *on_heap, kept_from_heap;

static void* configure(void* unused) {
  shared.width = 1;
  shared.height = 2;
  shared.depth = 3;
  shared.rate = 4;
  shared.level = 5;
  shared.mode = 6;
  on_heap->width = 1;
  on_heap->depth = 3;
  on_heap->mode = 6;
  return unused;
}

int main(void) {
  on_heap = calloc(1, sizeof *on_heap);
  pthread_t thread;
  pthread_create(&thread, NULL, configure, NULL);
  memcpy(&kept, &shared, sizeof kept);
  memcpy(&kept_from_heap, on_heap, sizeof kept_from_heap);
  pthread_join(thread, NULL);
  free(on_heap);
  return kept.width > 1 || kept_from_heap.width > 1;
}
